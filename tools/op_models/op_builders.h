// How a case's weights get to its op, with the headers that tests of models
// need.
#ifndef GLES_DELEGATE_TOOLS_OP_MODELS_OP_BUILDERS_H_
#define GLES_DELEGATE_TOOLS_OP_MODELS_OP_BUILDERS_H_

#include "third_party/tflite_schema/schema_generated.h"
#include "tools/common/model_builder.h"
#include "tools/op_models/op_model.h"
#include "tools/op_models/schema_names.h"
#include "tools/op_models/shapes.h"

namespace gles_delegate::testing {

// How an op's weights get to it.
enum class Weights {
  kFloat,       // a float32 constant
  kHalf,        // a float16 constant through DEQUANTIZE
  kInt8,        // an int8 constant through DEQUANTIZE
  kSparse,      // a sparse float32 constant through DENSIFY
  kSparseHalf,  // a sparse float16 constant through DENSIFY and DEQUANTIZE
  kRuntime,     // a second input of the model
};

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TOOLS_OP_MODELS_OP_BUILDERS_H_
