// Models of one op on 8- or 16-bit tensors, with random scales and zero points,
// the extremes among them. No code of their outputs may differ.
#ifndef GLES_DELEGATE_TOOLS_CONFORMANCE_QUANTIZED_MODELS_H_
#define GLES_DELEGATE_TOOLS_CONFORMANCE_QUANTIZED_MODELS_H_

#include <string>
#include <vector>

#include "third_party/tflite_schema/schema_generated.h"
#include "tools/common/model_builder.h"
#include "tools/conformance/names.h"
#include "tools/op_models/random.h"

namespace gles_delegate::conformance {

// Which scales and zero points a model gets; each is a separate case.
enum class Codes {
  kRandom,   // any scale from 2^-8 to 2^2, any zero point
  kLowest,   // zero points at the type's least code
  kHighest,  // at its greatest
  kMiddle,   // about the middle, with which chains keep values spread
};
inline constexpr Codes kQuantized[] = {Codes::kRandom, Codes::kLowest,
                                       Codes::kHighest};
std::string Name(Codes quantized);

// Builds a model of 8- or 16-bit tensors; scales, zero points and data come
// from the description's own stream.
class QuantizedBuilder {
 public:
  QuantizedBuilder(std::string description, TensorType type, Codes quantized);

  TensorType type() const { return type_; }
  bool is_signed() const { return type_ == TensorType::INT8; }
  // 16-bit activations, whose zero points are 0.
  bool is_int16() const { return type_ == TensorType::INT16; }
  int min() const { return is_int16() ? -32768 : is_signed() ? -128 : 0; }
  int max() const { return min() + (is_int16() ? 65535 : 255); }
  Codes codes() const { return quantized_; }
  testing::Random& random() { return random_; }
  ModelBuilder& builder() { return builder_; }

  // An input of these quantized values, over and over.
  int InputOfQuantized(const std::string& name, const Shape& shape,
                       const ModelQuantization& q,
                       const std::vector<int>& quantized);
  // A constant of this builder's type.
  int Constant(const std::string& name, const Shape& shape,
               const ModelQuantization& q, const std::vector<int>& quantized);
  // A float32 input.
  int FloatInput(const std::string& name, const Shape& shape,
                 std::vector<float> values);
  // Weights: int8 with zero points of 0 and a scale for each index of
  // `dimension` (or one, `per_tensor`), of 16-bit activations, too; or uint8
  // with one scale. `scale` is the largest; `scales` receives them.
  int Weights(const std::string& name, const Shape& shape, int dimension,
              float scale, bool per_tensor, std::vector<float>* scales);
  // An int32 bias (int64 of 16-bit activations) for inputs and weights of these
  // scales.
  int Bias(int channels, float input_scale,
           const std::vector<float>& weight_scales, float magnitude);
  int Output(const std::string& name, const Shape& shape,
             const ModelQuantization& q);
  // The same for another type. Without scale: numbers.
  int OutputOf(const std::string& name, const Shape& shape, TensorType type,
               const ModelQuantization& q);
  // A bool input of random values.
  int BoolInput(const std::string& name, const Shape& shape);

  // No code of the output may differ.
  SingleOpModel Finish(std::vector<int> outputs);

 private:
  std::string description_;
  TensorType type_;
  Codes quantized_;
  testing::Random random_;
  ModelBuilder builder_;
  std::vector<std::vector<float>> inputs_;
  float output_scale_ = 0;
};

}  // namespace gles_delegate::conformance

#endif  // GLES_DELEGATE_TOOLS_CONFORMANCE_QUANTIZED_MODELS_H_
