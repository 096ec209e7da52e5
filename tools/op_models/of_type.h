// A model of floats as one of integers or of bools: for ops that move any kind.
#ifndef GLES_DELEGATE_TOOLS_OP_MODELS_OF_TYPE_H_
#define GLES_DELEGATE_TOOLS_OP_MODELS_OF_TYPE_H_

#include "third_party/tflite_schema/schema_generated.h"
#include "tools/op_models/op_model.h"
#include "tools/op_models/schema_names.h"

namespace gles_delegate::testing {

// The model with `type` in place of float32, in constants and inputs, too:
// BOOL, FLOAT16, or an integer type (without quantization). A value v becomes
// v > 0 of bools, itself of float16, else round(10 v), or the nearest that the
// type holds.
SingleOpModel OfType(const SingleOpModel& model, TensorType type);

// The model with int64 in place of int32 of the same values: in inputs and
// outputs, and in constants where `constants`.
SingleOpModel OfInt64(const SingleOpModel& model, bool constants);

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TOOLS_OP_MODELS_OF_TYPE_H_
