// The bounds that single_op.h derives, applied: a run beside TFLite's own.
#ifndef GLES_DELEGATE_TESTS_TESTING_COMPARE_H_
#define GLES_DELEGATE_TESTS_TESTING_COMPARE_H_

#include <string>

#include "tests/testing/op_model.h"

namespace gles_delegate::testing {

// What TFLite's CPU makes of a model at one precision, with what the bounds
// need. Made once, compared with any number of runs.
struct CpuReference {
  // Not Ok: the CPU failed, on the op or on its magnitudes.
  absl::Status status;
  RunResult expected;
  RunResult magnitude;  // of the model on absolute values; empty without one
  double least_magnitude = 0;
  Accuracy accuracy;
  Precision precision = Precision::kFloat32;
};
// `invokes`: how often a stateful model is to be run.
CpuReference MakeCpuReference(const SingleOpModel& model, Precision precision,
                              int invokes = 1);

struct Comparison {
  // Empty where the run matches; else what a person needs to see.
  std::string difference;
  int64_t elements = 0;
  // The largest of each over all elements that are not as good as equal (NaN
  // and NaN, the largest half for what is larger, zero for a subnormal number
  // where range_ends allows it): error over the precision's unit in the last
  // place of the magnitude (the sum of the absolute terms, where the op sums;
  // else the element itself),
  double worst_ulps = 0;
  // error over the largest finite magnitude of the output's elements,
  double worst_relative = 0;
  // error over what is allowed; 0 where nothing is.
  double worst_of_bound = 0;
  // error over the output's scale, where it is quantized.
  double worst_codes = 0;
};
Comparison Compare(const CpuReference& reference, const RunResult& actual);

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_COMPARE_H_
