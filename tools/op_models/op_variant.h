// How models are built twice: the op, and the op on absolute values
// (single_op.h says what for).
//
//   return MakeModel("NEG 1x4x4x3", Accuracy{/*terms=*/0}, [&](OpVariant& v) {
//     const int x =
//         v.Input("x", shape, v.random().Gaussian(ElementCount(shape)));
//     return v.Op(schema::BuiltinOperator::NEG, 1, {x});
//   });
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
  int IntConstant(const std::string& name, const Shape& shape,
                  const std::vector<int32_t>& values);

  // Makes the tensor one of another type than float32; its values are converted
  // (bool: not 0). Returns it.
  int OfType(int tensor, schema::TensorType type);
  int OfInts(int tensor) { return OfType(tensor, schema::TensorType::INT32); }

  // Adds the op and a tensor for its output, whose shape MakeModel fills in.
  int Op(schema::BuiltinOperator op, int version, std::vector<int> inputs);
  template <typename Options>
  int Op(schema::BuiltinOperator op, int version, std::vector<int> inputs,
         Options options) {
    const int output = AddOutput();
    builder_.AddOp(op, version, std::move(inputs), {output},
                   std::move(options));
    return output;
  }

  std::vector<std::vector<float>> TakeInputs() { return std::move(inputs_); }

 private:
  int AddOutput();
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

// Runs `build` (which returns the output tensor) once, and once more on
// absolute values where `with_magnitude`. Output shapes come from TFLite
// itself; where TFLite refuses the model, SingleOpModel::status says why.
SingleOpModel MakeModel(const std::string& description,
                        const Accuracy& accuracy, bool with_magnitude,
                        absl::FunctionRef<int(OpVariant&)> build);
// The same for several outputs.
SingleOpModel MakeModelOfOutputs(
    const std::string& description, const Accuracy& accuracy,
    bool with_magnitude, absl::FunctionRef<std::vector<int>(OpVariant&)> build);
inline SingleOpModel MakeModel(const std::string& description,
                               const Accuracy& accuracy,
                               absl::FunctionRef<int(OpVariant&)> build) {
  return MakeModel(description, accuracy, /*with_magnitude=*/false, build);
}

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TOOLS_OP_MODELS_OP_VARIANT_H_
