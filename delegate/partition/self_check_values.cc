#include "delegate/partition/self_check_values.h"

#include <algorithm>
#include <cstring>

namespace gles_delegate {

std::vector<uint8_t> RandomBytes(const Tensor& tensor, std::mt19937* random) {
  const int64_t elements = tensor.shape.elements();
  if (tensor.holds_codes) {
    std::vector<uint8_t> codes(elements);
    for (uint8_t& code : codes) code = static_cast<uint8_t>((*random)());
    return codes;
  }
  std::vector<float> floats(elements);
  for (float& v : floats) {
    const auto bits = static_cast<uint32_t>((*random)());
    const float size = 0.25f + static_cast<float>(bits >> 8) / (1 << 24);
    v = (bits & 1) != 0 ? size : -size;
  }
  std::vector<uint8_t> bytes(elements * sizeof(float));
  std::memcpy(bytes.data(), floats.data(), bytes.size());
  return bytes;
}

std::vector<float> FloatsOf(const Tensor& tensor,
                            absl::Span<const uint8_t> bytes) {
  std::vector<float> values(tensor.shape.elements());
  if (!tensor.holds_codes) {
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  const float scale = tensor.quantization.scale[0];
  const auto zero = static_cast<int>(tensor.quantization.zero_point[0]);
  for (size_t i = 0; i < values.size(); ++i) {
    const int code = tensor.codes == DataType::kUint8
                         ? bytes[i]
                         : static_cast<int8_t>(bytes[i]);
    values[i] = scale * static_cast<float>(code - zero);
  }
  return values;
}

std::vector<float> ViewOf(const std::vector<float>& whole, const Shape& of,
                          const Tensor& view) {
  std::vector<float> values;
  const Shape& s = view.shape;
  const auto& at = view.view.at;
  for (int b = 0; b < s.b; ++b) {
    for (int h = 0; h < s.h; ++h) {
      for (int w = 0; w < s.w; ++w) {
        const int64_t first =
            ((int64_t{b + at[kBatchAxis]} * of.h + h + at[kHeightAxis]) * of.w +
             w + at[kWidthAxis]) *
                of.c +
            at[kChannelAxis];
        values.insert(values.end(), whole.begin() + first,
                      whole.begin() + first + s.c);
      }
    }
  }
  return values;
}

double NearestCode(const Tensor& tensor, double value) {
  if (!tensor.holds_codes || tensor.quantization.empty()) return value;
  const bool is_unsigned = tensor.codes == DataType::kUint8;
  const bool wide = tensor.codes == DataType::kInt16;
  const double low = wide ? -32768 : is_unsigned ? 0 : -128;
  const double high = wide ? 32767 : is_unsigned ? 255 : 127;
  const double scale = tensor.quantization.scale[0];
  const auto zero = static_cast<double>(tensor.quantization.zero_point[0]);
  return std::clamp(value, (low - zero) * scale, (high - zero) * scale);
}

}  // namespace gles_delegate
