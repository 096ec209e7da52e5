// Models of one op: one function an op, with its attributes as a struct where
// they are many. Data and constants are seeded by the model's description. Used
// by the op tests (through op_models.h) and by the conformance program. An op
// without a function here is built with op_variant.h, or with
// tools/common/model_builder.h and put into a SingleOpModel. Longer than 300
// lines: it is the one list of those functions.
#ifndef GLES_DELEGATE_TOOLS_OP_MODELS_OP_BUILDERS_H_
#define GLES_DELEGATE_TOOLS_OP_MODELS_OP_BUILDERS_H_

#include <string>
#include <vector>

#include "third_party/tflite_schema/schema_generated.h"
#include "tools/common/model_builder.h"
#include "tools/op_models/op_model.h"
#include "tools/op_models/schema_names.h"
#include "tools/op_models/shapes.h"

namespace gles_delegate::testing {

enum class Activation { kNone, kRelu, kReluN1To1, kRelu6, kTanh };
// The activation of TFLite's float kernels of every op with a fused one.
inline constexpr Activation kActivations[] = {
    Activation::kNone, Activation::kRelu, Activation::kReluN1To1,
    Activation::kRelu6};
std::string ActivationName(Activation activation);

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
