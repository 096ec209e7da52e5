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

struct LstmCase {
  int batch = 1;
  int inputs = 5;
  int cells = 6;
  int steps = 0;    // 0: LSTM, one step
  int outputs = 0;  // of a projection; 0: none
  bool time_major = false;
  bool cifg = false;
  bool peephole = false;
  bool layer_norm = false;
  bool projection_bias = false;
  float cell_clip = 0;
  float proj_clip = 0;
  schema::ActivationFunctionType activation =
      schema::ActivationFunctionType::TANH;
};

// 7 cells with a mix of the optional parts, of 16.
LstmCase LstmWithParts(int bits);
// UNIDIRECTIONAL_SEQUENCE_LSTM, or LSTM (full kernel) where `steps` is 0.
std::vector<uint8_t> Lstm(const LstmCase& params);
struct BasicCase {
  int batch = 1;
  int inputs = 5;
  int depth = 6;
  bool variables = true;  // else its states are inputs of the model
  bool runtime_weights = false;
};

// LSTM's basic kernel.
std::vector<uint8_t> BasicLstm(const BasicCase& params);
struct SvdfCase {
  int batch = 1;
  int inputs = 5;
  int units = 3;
  int rank = 2;
  int memory = 4;
  bool bias = true;
  bool runtime_weights = false;
  schema::ActivationFunctionType activation =
      schema::ActivationFunctionType::NONE;
};

std::vector<uint8_t> Svdf(const SvdfCase& params);
// Such a model with data.
SingleOpModel Stateful(const std::string& description,
                       std::vector<uint8_t> bytes);

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TOOLS_OP_MODELS_OP_BUILDERS_H_
