#include "tools/conformance/quantized_models.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gles_delegate::conformance {

using testing::ElementCount;

namespace {
// Codes are whole; a hundredth covers the conversion to float and back.
constexpr float kOfACode = 0.01f;
}  // namespace

std::string Name(Codes quantized) {
  switch (quantized) {
    case Codes::kRandom:
      return "random";
    case Codes::kLowest:
      return "lowest_zero_point";
    case Codes::kHighest:
      return "highest_zero_point";
    case Codes::kMiddle:
      return "middle";
  }
  return "?";
}

QuantizedBuilder::QuantizedBuilder(std::string description, TensorType type,
                                   Codes quantized)
    : description_(std::move(description)),
      type_(type),
      quantized_(quantized),
      random_(description_) {}

int QuantizedBuilder::InputOfQuantized(const std::string& name,
                                       const Shape& shape,
                                       const ModelQuantization& q,
                                       const std::vector<int>& quantized) {
  std::vector<float> values(ElementCount(shape));
  for (size_t i = 0; i < values.size(); ++i) {
    const int64_t code = quantized[i % quantized.size()];
    values[i] = q.scale[0] * static_cast<float>(code - q.zero_point[0]);
  }
  inputs_.push_back(std::move(values));
  return builder_.AddInput(name, shape, type_, q);
}

int QuantizedBuilder::Constant(const std::string& name, const Shape& shape,
                               const ModelQuantization& q,
                               const std::vector<int>& quantized) {
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i < ElementCount(shape); ++i) {
    const int code = quantized[i % quantized.size()];
    bytes.push_back(static_cast<uint8_t>(code & 0xff));  // the lower byte first
    if (is_int16()) bytes.push_back(static_cast<uint8_t>((code >> 8) & 0xff));
  }
  return builder_.AddConstantBytes(name, shape, type_, bytes, q);
}

int QuantizedBuilder::FloatInput(const std::string& name, const Shape& shape,
                                 std::vector<float> values) {
  inputs_.push_back(std::move(values));
  return builder_.AddInput(name, shape);
}

int QuantizedBuilder::Weights(const std::string& name, const Shape& shape,
                              int dimension, float scale, bool per_tensor,
                              std::vector<float>* scales) {
  const size_t count = ElementCount(shape);
  if (type_ == TensorType::UINT8) {
    *scales = {scale};
    std::vector<uint8_t> quantized(count);
    for (uint8_t& code : quantized) {
      code = static_cast<uint8_t>(random_.NextInt(1, 255));
    }
    return builder_.AddConstant<uint8_t>(
        name, shape, quantized,
        ModelQuantization::PerTensor(scale, random_.NextInt(0, 255)));
  }
  const int channels = per_tensor ? 1 : shape[dimension];
  scales->clear();
  for (int c = 0; c < channels; ++c) {  // some far smaller
    scales->push_back(scale * random_.NextUniform(0.25f, 1) *
                      (c % 5 == 4 && !is_int16() ? 1e-3f : 1));
  }
  std::vector<int8_t> quantized(count);
  for (int8_t& code : quantized) {
    code = static_cast<int8_t>(random_.NextInt(-127, 127));
  }
  return builder_.AddConstant<int8_t>(
      name, shape, quantized,
      ModelQuantization{*scales, std::vector<int64_t>(channels, 0), dimension});
}

int QuantizedBuilder::Bias(int channels, float input_scale,
                           const std::vector<float>& weight_scales,
                           float magnitude) {
  std::vector<float> scales;
  scales.reserve(weight_scales.size());
  for (float scale : weight_scales) scales.push_back(scale * input_scale);
  std::vector<int64_t> quantized(channels);
  for (int c = 0; c < channels; ++c) {
    const float scale = scales[scales.size() > 1 ? c : 0];
    quantized[c] =
        std::llround(random_.NextUniform(-magnitude, magnitude) / scale);
  }
  const ModelQuantization q = {scales, std::vector<int64_t>(scales.size(), 0),
                               0};
  if (is_int16()) {
    return builder_.AddConstant<int64_t>("bias", {channels}, quantized, q);
  }
  return builder_.AddConstant<int32_t>(
      "bias", {channels},
      std::vector<int32_t>(quantized.begin(), quantized.end()), q);
}

int QuantizedBuilder::Output(const std::string& name, const Shape& shape,
                             const ModelQuantization& q) {
  return OutputOf(name, shape, type_, q);
}

int QuantizedBuilder::OutputOf(const std::string& name, const Shape& shape,
                               TensorType type, const ModelQuantization& q) {
  output_scale_ = q.scale.empty() ? 0 : q.scale[0];
  return builder_.AddTensor(name, shape, type, q);
}

int QuantizedBuilder::BoolInput(const std::string& name, const Shape& shape) {
  std::vector<float> values(ElementCount(shape));
  for (float& value : values) {
    value = static_cast<float>(random_.NextInt(0, 1));
  }
  inputs_.push_back(std::move(values));
  return builder_.AddInput(name, shape, TensorType::BOOL);
}

SingleOpModel QuantizedBuilder::Finish(std::vector<int> outputs) {
  SingleOpModel model;
  model.description = description_;
  builder_.SetOutputs(std::move(outputs));
  model.bytes = builder_.Finish();
  model.inputs = std::move(inputs_);
  model.accuracy.ulps = 0;
  model.accuracy.absolute = kOfACode * output_scale_;
  return model;
}

}  // namespace gles_delegate::conformance
