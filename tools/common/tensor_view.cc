// TensorView: reading and writing an interpreter's tensors as real numbers.
#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "tools/common/model_builder.h"
#include "tools/common/tflite_host.h"

namespace gles_delegate {
namespace {

// kTfLiteUInt16, which is younger than the headers here.
constexpr auto kUint16Type = static_cast<TfLiteType>(17);

// The scale is 0 where the tensor is not quantized: its integers are then the
// real numbers.
template <typename T>
std::vector<float> Dequantize(absl::Span<T> values,
                              TfLiteQuantizationParams params) {
  const float scale = params.scale == 0 ? 1.0f : params.scale;
  const int64_t zero = params.scale == 0 ? 0 : params.zero_point;
  std::vector<float> out(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    out[i] = scale * static_cast<float>(static_cast<int64_t>(values[i]) - zero);
  }
  return out;
}

template <typename T>
void Quantize(absl::Span<const float> values, TfLiteQuantizationParams params,
              absl::Span<T> out) {
  const float scale = params.scale == 0 ? 1.0f : params.scale;
  const float zero = params.scale == 0 ? 0.0f : params.zero_point;
  const float low = static_cast<float>(std::numeric_limits<T>::lowest());
  const float high = static_cast<float>(std::numeric_limits<T>::max());
  for (size_t i = 0; i < values.size(); ++i) {
    const float q = std::round(values[i] / scale) + zero;
    // The comparisons keep NaN (and the float above the largest int) out of
    // the conversion, which would be undefined.
    if (!(q > low)) {
      out[i] = std::numeric_limits<T>::lowest();
    } else if (q >= high) {
      out[i] = std::numeric_limits<T>::max();
    } else {
      out[i] = static_cast<T>(q);
    }
  }
}

}  // namespace

std::string TensorView::name() const {
  return tensor_->name == nullptr ? "" : tensor_->name;
}

std::vector<int> TensorView::dims() const {
  if (tensor_->dims == nullptr) return {};
  return {tensor_->dims->data, tensor_->dims->data + tensor_->dims->size};
}

size_t TensorView::elements() const {
  size_t n = 1;
  for (int d : dims()) n *= static_cast<size_t>(d);
  return n;
}

absl::Span<uint8_t> TensorView::bytes() const {
  if (tensor_->data.data == nullptr) return {};
  return {static_cast<uint8_t*>(tensor_->data.data), tensor_->bytes};
}

absl::Status TensorView::WriteBytes(absl::Span<const uint8_t> values) const {
  const absl::Span<uint8_t> raw = bytes();
  if (raw.size() != values.size()) {
    return absl::InvalidArgumentError(absl::StrCat("Tensor ", name(), " holds ",
                                                   raw.size(), " bytes, not ",
                                                   values.size()));
  }
  std::copy(values.begin(), values.end(), raw.begin());
  return absl::OkStatus();
}

std::vector<float> TensorView::AsFloats() const {
  if (type() == kUint16Type) return Dequantize(data<uint16_t>(), {0, 0});
  switch (type()) {
    case kTfLiteFloat32: {
      const auto values = data<float>();
      return {values.begin(), values.end()};
    }
    case kTfLiteFloat16: {
      const auto values = data<uint16_t>();
      std::vector<float> out(values.size());
      std::transform(values.begin(), values.end(), out.begin(), HalfToFloat);
      return out;
    }
    case kTfLiteFloat64: {
      const auto values = data<double>();
      return {values.begin(), values.end()};
    }
    case kTfLiteInt8:
      return Dequantize(data<int8_t>(), quantization());
    case kTfLiteUInt8:
      return Dequantize(data<uint8_t>(), quantization());
    case kTfLiteBool:
      return Dequantize(data<uint8_t>(), {0, 0});
    case kTfLiteInt16:
      return Dequantize(data<int16_t>(), quantization());
    case kTfLiteInt32:
      return Dequantize(data<int32_t>(), quantization());
    case kTfLiteInt64:
      return Dequantize(data<int64_t>(), quantization());
    default:
      return {};
  }
}

absl::Status TensorView::WriteFloats(absl::Span<const float> values) const {
  if (values.size() != elements()) {
    return absl::InvalidArgumentError(
        absl::StrCat("Tensor ", name(), " holds ", elements(),
                     " elements, not ", values.size()));
  }
  if (type() == kUint16Type) {
    Quantize(values, {0, 0}, data<uint16_t>());
    return absl::OkStatus();
  }
  switch (type()) {
    case kTfLiteFloat32:
      return Write<float>(values);
    case kTfLiteFloat16: {
      std::vector<uint16_t> half(values.size());
      std::transform(values.begin(), values.end(), half.begin(), FloatToHalf);
      return Write<uint16_t>(half);
    }
    case kTfLiteFloat64:
      return Write<double>(std::vector<double>(values.begin(), values.end()));
    case kTfLiteInt8:
      Quantize(values, quantization(), data<int8_t>());
      return absl::OkStatus();
    case kTfLiteUInt8:
      Quantize(values, quantization(), data<uint8_t>());
      return absl::OkStatus();
    case kTfLiteBool: {
      const auto out = data<uint8_t>();
      for (size_t i = 0; i < values.size(); ++i) out[i] = values[i] != 0;
      return absl::OkStatus();
    }
    case kTfLiteInt16:
      Quantize(values, quantization(), data<int16_t>());
      return absl::OkStatus();
    case kTfLiteInt32:
      Quantize(values, quantization(), data<int32_t>());
      return absl::OkStatus();
    case kTfLiteInt64:
      Quantize(values, quantization(), data<int64_t>());
      return absl::OkStatus();
    default:
      return absl::UnimplementedError(absl::StrCat(
          "Tensor ", name(), " has a type that floats do not convert to: ",
          TfLiteTypeGetName(type())));
  }
}

}  // namespace gles_delegate
