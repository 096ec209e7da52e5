// TFLite's affine quantization: real = scale * (quantized - zero_point).
// https://www.tensorflow.org/lite/performance/quantization_spec
//
// Quantize() followed by Dequantize() is the reference for the shaders'
// simulator (op_quantize of gl_shaders/lib/quantized.glsl). A "code" is a
// quantized value.
#ifndef GLES_DELEGATE_QUANT_AFFINE_H_
#define GLES_DELEGATE_QUANT_AFFINE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "absl/types/span.h"

namespace gles_delegate::quant {

// The range of an integer type, inclusive.
struct CodeRange {
  int32_t low = 0;
  int32_t high = 0;
};
// For a type of `bytes` bytes (1, 2 or 4).
CodeRange RangeOf(int bytes, bool is_unsigned);

// As TFLite's DEQUANTIZE kernel: an exact difference, then one float32
// multiplication.
inline float Dequantize(int64_t code, float scale, int64_t zero_point) {
  return scale * static_cast<float>(code - zero_point);
}

// As TFLite's QUANTIZE kernel (reference AffineQuantize): divides in float32,
// rounds half away from zero, adds the zero point, clamps to [low, high]. NaN,
// which TFLite leaves undefined, gives the zero point.
int32_t Quantize(float value, float scale, int64_t zero_point, int32_t low,
                 int32_t high);

// Quantize() for types of at most 16 bits, without calls or branches, so that
// compilers can vectorize it.
inline int32_t QuantizeInline(float value, float scale, int32_t zero_point,
                              CodeRange range) {
  // Compares signs and magnitudes as integers, since float comparisons would be
  // branches.
  constexpr int32_t kPastBits =
      0x48000000;  // 2^17: past any code and zero point
  constexpr int32_t kInfinityBits = 0x7f800000;
  float steps = value / scale;
  int32_t bits;
  std::memcpy(&bits, &steps, sizeof(bits));
  const int32_t sign = bits & INT32_MIN;
  int32_t magnitude = bits & INT32_MAX;
  magnitude = magnitude > kInfinityBits ? 0 : magnitude;  // NaN
  bits = (magnitude < kPastBits ? magnitude : kPastBits) | sign;
  std::memcpy(&steps, &bits, sizeof(steps));
  // Exact from here on; conversions truncate.
  const auto whole = static_cast<int32_t>(steps);
  const float rest = steps - static_cast<float>(whole);
  int32_t code = whole + static_cast<int32_t>(rest * 2) + zero_point;
  code = code < range.low ? range.low : code;
  return code > range.high ? range.high : code;
}

// Whole tensors, elementwise as above; the spans have equal sizes.
template <typename Code>
void DequantizeAll(absl::Span<const Code> quantized, float scale,
                   int64_t zero_point, absl::Span<float> values) {
  const float zero = static_cast<float>(zero_point);  // exact: 16 bits at most
  for (size_t i = 0; i < quantized.size(); ++i) {
    values[i] = scale * (static_cast<float>(quantized[i]) - zero);
  }
}
template <typename Code>
void QuantizeAll(absl::Span<const float> values, float scale,
                 int64_t zero_point, CodeRange range,
                 absl::Span<Code> quantized) {
  const auto zero = static_cast<int32_t>(zero_point);
  for (size_t i = 0; i < quantized.size(); ++i) {
    quantized[i] =
        static_cast<Code>(QuantizeInline(values[i], scale, zero, range));
  }
}

// --- Four and two bits -------------------------------------------------------

// Values as packed in TFLite's INT4 and INT2 tensors: -8 to 7, two per byte, or
// -2 to 1, four per byte, low bits first; the last byte may have fewer.

// The values as bytes of int8. `packed` holds (count + 1) / 2 bytes or more.
std::vector<uint8_t> UnpackInt4(absl::Span<const uint8_t> packed, size_t count);

// The same of (count + 3) / 4 bytes or more.
std::vector<uint8_t> UnpackInt2(absl::Span<const uint8_t> packed, size_t count);

}  // namespace gles_delegate::quant

#endif  // GLES_DELEGATE_QUANT_AFFINE_H_
