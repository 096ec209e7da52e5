// What RunOnCpu, RunOnDelegate and MatchesCpu share; tests include single_op.h.
#ifndef GLES_DELEGATE_TESTS_TESTING_RUN_MODEL_H_
#define GLES_DELEGATE_TESTS_TESTING_RUN_MODEL_H_

#include "tensorflow/lite/c/common.h"
#include "tests/testing/single_op.h"

namespace gles_delegate::testing {

// The model as a run at `precision` sees it: at kFloat16, its constants and
// inputs are rounded to half.
SingleOpModel AtPrecision(const SingleOpModel& model, Precision precision);

// Loads the model, applies `delegate` (NULL: the CPU's kernels), writes the
// inputs and invokes, `invokes` times over. The report's fields stay empty.
RunResult RunModel(const SingleOpModel& model, int invokes,
                   TfLiteDelegate* delegate);

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_RUN_MODEL_H_
