// A model of floats as one of integers or of bools: for ops that move any kind.
#ifndef GLES_DELEGATE_TESTS_TESTING_OF_TYPE_H_
#define GLES_DELEGATE_TESTS_TESTING_OF_TYPE_H_

#include "tests/testing/op_model.h"
#include "third_party/tflite_schema/schema_generated.h"

namespace gles_delegate::testing {

// The model with every float32 tensor of `type` (INT32 or BOOL), its constants
// and inputs too: each value v becomes round(10 v), for bools v > 0.
SingleOpModel OfType(const SingleOpModel& model, schema::TensorType type);

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_OF_TYPE_H_
