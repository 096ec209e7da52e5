// The schema's enums by short names. Needs no GoogleTest.
#ifndef GLES_DELEGATE_TOOLS_OP_MODELS_SCHEMA_NAMES_H_
#define GLES_DELEGATE_TOOLS_OP_MODELS_SCHEMA_NAMES_H_

#include "third_party/tflite_schema/schema_generated.h"

namespace gles_delegate::testing {

using Act = schema::ActivationFunctionType;
using Op = schema::BuiltinOperator;
using schema::TensorType;

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TOOLS_OP_MODELS_SCHEMA_NAMES_H_
