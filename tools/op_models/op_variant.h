// How models are built twice: the op, and the op on absolute values
// (single_op.h says what for).
#ifndef GLES_DELEGATE_TOOLS_OP_MODELS_OP_VARIANT_H_
#define GLES_DELEGATE_TOOLS_OP_MODELS_OP_VARIANT_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "tools/common/model_builder.h"
#include "tools/op_models/op_model.h"
#include "tools/op_models/random.h"
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

class OpVariant {
 public:
  OpVariant(const std::string& stream, bool absolute)
      : random_(stream), absolute_(absolute) {}

  // True in the variant on absolute values. That variant has no activation and
  // ADD in place of SUB, and Constant() drops the signs of its values.
  bool absolute() const { return absolute_; }
  // The same stream in both variants: draw in the same order.
  Random& random() { return random_; }
  ModelBuilder& builder() { return builder_; }

  // An input of the model, with the values that it is run on.
  int Input(const std::string& name, const Shape& shape,
            std::vector<float> values);
  // A constant, or a runtime input, as `weights` says. At kSparse*, two of
  // three values are zeroed first.
  int Constant(const std::string& name, const Shape& shape,
               std::vector<float> values, Weights weights = Weights::kFloat);

  // Makes the tensor one of another type than float32; its values are converted
  // (bool: not 0). Returns it.
  int OfType(int tensor, schema::TensorType type);
  std::vector<std::vector<float>> TakeInputs() { return std::move(inputs_); }

 private:
  int Int8Constant(const std::string& name, const Shape& shape,
                   const std::vector<float>& values);
  int Dequantize(const std::string& name, const Shape& shape, int constant);
  int SparseConstant(const std::string& name, const Shape& shape,
                     std::vector<float> values, bool half);

  ModelBuilder builder_;
  Random random_;
  bool absolute_;
  std::vector<std::vector<float>> inputs_;
};

// Runs `build` (which returns the output tensors) once, and once more on
// absolute values where `with_magnitude`. Output shapes come from TFLite
// itself; where TFLite refuses the model, SingleOpModel::status says why.
SingleOpModel MakeModel(const std::string& description,
                        const Accuracy& accuracy, bool with_magnitude,
                        absl::FunctionRef<std::vector<int>(OpVariant&)> build);

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TOOLS_OP_MODELS_OP_VARIANT_H_
