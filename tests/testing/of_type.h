// A model of floats as one of integers or of bools: for ops that move any kind.
#ifndef GLES_DELEGATE_TESTS_TESTING_OF_TYPE_H_
#define GLES_DELEGATE_TESTS_TESTING_OF_TYPE_H_

#include "tests/testing/op_model.h"
#include "tests/testing/schema_names.h"
#include "third_party/tflite_schema/schema_generated.h"

namespace gles_delegate::testing {

// The model with `type` (INT32 or BOOL) in place of float32, in constants and
// inputs, too. A value v becomes round(10 v), or of bools v > 0.
SingleOpModel OfType(const SingleOpModel& model, TensorType type);

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_OF_TYPE_H_
