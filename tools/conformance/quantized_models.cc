// Longer than 300 lines: a function for each kind of model.
#include "tools/conformance/quantized_models.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"

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
  }
  return "?";
}

QuantizedBuilder::QuantizedBuilder(std::string description, TensorType type,
                                   Codes quantized)
    : description_(std::move(description)),
      type_(type),
      quantized_(quantized),
      random_(description_) {}

ModelQuantization QuantizedBuilder::Draw(float scale) {
  const float drawn = std::exp2(random_.NextUniform(-8, 2));
  int zero = random_.NextInt(min(), max());
  if (quantized_ == Codes::kLowest) zero = min();
  if (quantized_ == Codes::kHighest) zero = max();
  return ModelQuantization::PerTensor(scale > 0 ? scale : drawn, zero);
}

int QuantizedBuilder::Input(const std::string& name, const Shape& shape,
                            const ModelQuantization& q) {
  std::vector<float> values(ElementCount(shape));
  for (float& value : values) {
    const int64_t code = random_.NextInt(min(), max());
    value = q.scale[0] * static_cast<float>(code - q.zero_point[0]);
  }
  inputs_.push_back(std::move(values));
  return builder_.AddInput(name, shape, type_, q);
}

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

int QuantizedBuilder::BoolOutput(const std::string& name, const Shape& shape) {
  return OutputOf(name, shape, TensorType::BOOL, {});
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

namespace {

// Scale and zero point such that the quantized values span the values and 0.
// `quantized values` may want the zero point at an end of the range: values of
// one sign saturate then. The scale is then that of the largest magnitude, and
// above `min_scale`, as TFLite's kernels take no factors far above one.
// The same if all values are 0.
ModelQuantization Spanning(const std::vector<float>& values, TensorType type,
                           Codes quantized, float min_scale) {
  const int min = type == TensorType::INT8 ? -128 : 0;
  float low = 0, high = 0;
  for (float value : values) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  const float magnitude = std::max({-low, high, 1.01f * min_scale * 255});
  if (quantized == Codes::kLowest || low == high) {
    low = 0;
    high = magnitude;
  } else if (quantized == Codes::kHighest) {
    low = -magnitude;
    high = 0;
  }
  const float scale = (high - low) / 255;
  const int zero = min + static_cast<int>(std::lround(-low / scale));
  return ModelQuantization::PerTensor(scale, std::clamp(zero, min, min + 255));
}

void SetQuantization(schema::TensorT* tensor, TensorType type,
                     const ModelQuantization& q) {
  tensor->type = type;
  tensor->quantization = std::make_unique<schema::QuantizationParametersT>();
  tensor->quantization->scale = q.scale;
  tensor->quantization->zero_point = q.zero_point;
}

std::vector<float> FloatsOf(const std::vector<uint8_t>& bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return values;
}

// Both types hold their quantized values in a byte.
std::vector<uint8_t> QuantizedOf(const std::vector<float>& values,
                                 TensorType type, const ModelQuantization& q) {
  const int min = type == TensorType::INT8 ? -128 : 0;
  std::vector<uint8_t> bytes;
  for (float value : values) {
    const int code =
        static_cast<int>(std::lround(value / q.scale[0]) + q.zero_point[0]);
    bytes.push_back(static_cast<uint8_t>(std::clamp(code, min, min + 255)));
  }
  return bytes;
}

ModelQuantization FixedOutput(OutputRule rule, int min) {
  switch (rule) {
    case OutputRule::kLogistic:
      return ModelQuantization::PerTensor(1.0f / 256, min);
    case OutputRule::kLogSoftmax:
      return ModelQuantization::PerTensor(16.0f / 256, min + 255);
    default:
      return ModelQuantization::PerTensor(1.0f / 128, min + 128);
  }
}

// Rewrites a model of floats, tensor by tensor.
class ModelQuantizer {
 public:
  ModelQuantizer(const SingleOpModel& model, TensorType type, Codes quantized,
                 OutputRule rule)
      : model_(model),
        builder_(absl::StrCat(model.description, " of ",
                              schema::EnumNameTensorType(type), " ",
                              Name(quantized)),
                 type, quantized),
        quantized_(quantized),
        rule_(rule),
        root_(schema::UnPackModel(model.bytes.data())) {}

  SingleOpModel Run() {
    QuantizeInputs();
    QuantizeConstants();
    QuantizeOutputs();
    SingleOpModel result = model_;
    result.description =
        absl::StrCat(model_.description, " of ",
                     schema::EnumNameTensorType(builder_.type()));
    flatbuffers::FlatBufferBuilder flat;
    schema::FinishModelBuffer(flat, schema::Model::Pack(flat, root_.get()));
    result.bytes.assign(flat.GetBufferPointer(),
                        flat.GetBufferPointer() + flat.GetSize());
    result.magnitude_bytes.clear();
    result.accuracy = testing::Accuracy();
    result.accuracy.ulps = 0;
    result.accuracy.absolute = kOfACode * output_scale_;
    return result;
  }

 private:
  schema::SubGraphT& graph() { return *root_->subgraphs[0]; }

  void QuantizeInputs() {
    first_ = builder_.Draw();
    for (size_t i = 0; i < graph().inputs.size(); ++i) {
      schema::TensorT& tensor = *graph().tensors[graph().inputs[i]];
      if (tensor.type != TensorType::FLOAT32) continue;
      const ModelQuantization q =
          i == 0 || rule_ == OutputRule::kSame ? first_ : builder_.Draw();
      SetQuantization(&tensor, builder_.type(), q);
      for (float& value : model_.inputs[i]) {
        const int64_t code =
            builder_.random().NextInt(builder_.min(), builder_.max());
        value = q.scale[0] * static_cast<float>(code - q.zero_point[0]);
      }
    }
  }

  void QuantizeConstants() {
    for (auto& tensor : graph().tensors) {
      std::vector<uint8_t>& data = root_->buffers[tensor->buffer]->data;
      if (tensor->type != TensorType::FLOAT32 || data.empty()) continue;
      const std::vector<float> values = FloatsOf(data);
      const ModelQuantization q =
          rule_ == OutputRule::kSame
              ? first_
              : Spanning(values, builder_.type(), Codes::kRandom,
                         first_.scale[0]);
      SetQuantization(tensor.get(), builder_.type(), q);
      data = QuantizedOf(values, builder_.type(), q);
    }
  }

  void QuantizeOutputs() {
    ModelQuantization q = first_;
    if (rule_ == OutputRule::kRange || rule_ == OutputRule::kCoarseRange) {
      const testing::RunResult floats = testing::RunOnCpu(model_);
      std::vector<float> values;
      for (const testing::TensorValue& output : floats.outputs) {
        values.insert(values.end(), output.values.begin(), output.values.end());
      }
      q = Spanning(values, builder_.type(), quantized_, first_.scale[0]);
      if (rule_ == OutputRule::kCoarseRange) {
        q.scale[0] = std::max(q.scale[0], 1.01f * first_.scale[0]);
      }
    } else if (rule_ != OutputRule::kSame) {
      q = FixedOutput(rule_, builder_.min());
    }
    for (int output : graph().outputs) {
      SetQuantization(graph().tensors[output].get(), builder_.type(), q);
    }
    output_scale_ = q.scale[0];
  }

  SingleOpModel model_;
  QuantizedBuilder builder_;  // for its stream
  Codes quantized_;
  OutputRule rule_;
  std::unique_ptr<schema::ModelT> root_;
  ModelQuantization first_;
  float output_scale_ = 0;
};

}  // namespace

SingleOpModel Quantized(const SingleOpModel& model, TensorType type,
                        Codes quantized, OutputRule rule) {
  if (!model.status.ok() || model.bytes.empty()) return model;
  return ModelQuantizer(model, type, quantized, rule).Run();
}

}  // namespace gles_delegate::conformance
