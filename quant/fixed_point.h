// TFLite's quantization: affine and packed values, and the integer arithmetic
// of its kernels, sums of products of (quantized value - zero point) rescaled
// by a fixed-point multiplier.
//
// The reference for the shaders' requantization
// (gl_shaders/lib/quantized.glsl), itself tested against TFLite's kernels. See
// https://www.tensorflow.org/lite/performance/quantization_spec and
// https://github.com/google/gemmlowp/blob/master/doc/quantization.md.
#ifndef GLES_DELEGATE_QUANT_FIXED_POINT_H_
#define GLES_DELEGATE_QUANT_FIXED_POINT_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "absl/types/span.h"

namespace gles_delegate::quant {

// TFLite's affine quantization: real = scale * (quantized - zero_point).
// https://www.tensorflow.org/lite/performance/quantization_spec
//
// Quantize() followed by Dequantize() is the reference for the shaders'
// simulator (op_quantize of gl_shaders/lib/quantized.glsl). A "code" is a
// quantized value.

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

// The values, of 4 or 2 bits, as bytes of int8. `packed` holds all of them.
std::vector<uint8_t> UnpackInts(int bits, absl::Span<const uint8_t> packed,
                                size_t count);

// --- TFLite's integer kernels ------------------------------------------------

// Represents value * 2^(shift - 31); value is 0 or in [2^30, 2^31).
struct Multiplier {
  int32_t value = 0;
  int shift = 0;  // -31 to 30; 31: too large
};

// The nearest multiplier for `real` >= 0; 0 below 2^-32. A shift of 31 stands
// for 2^30 and above and for NaN.
Multiplier MultiplierOf(double real);

// The factor of a sum of products: input * weights / output. TFLite computes
// the product in double for ops whose weights may have per-channel scales
// (`by_channel`: int8 CONV_2D and DEPTHWISE_CONV_2D), in float32 for others.
double ConvolutionScale(float input, float weights, float output,
                        bool by_channel);

// The same for MUL, all in float32.
double ProductScale(float a, float b, float output);

// The factor between two quantizations, input / output. QUANTIZE computes it in
// double, RELU and similar ops in float32.
double QuantizeScale(float input, float output);
double ReluScale(float input, float output);

// Products are rounded twice: after the multiplication, ties up, and after the
// right shift, with ties depending on the kernel.
enum class Ties {
  kAwayFromZero,  // gemmlowp, and TFLite's kernels derived from it
  kUp,  // ruy, which multiplies matrices in CONV_2D and FULLY_CONNECTED
};

// floor(a * b / 2^31 + 1/2).
int32_t HighProduct(int32_t a, int32_t b);
// x / 2^exponent, rounded to nearest.
int32_t DivideByPower(int32_t x, int exponent, Ties ties);

// x * multiplier; the product must fit 32 bits.
int32_t Multiply(int32_t x, Multiplier multiplier, Ties ties);

// For 16-bit tensors: (sum * value + half) >> right in 64 bits, rounded once,
// ties up.
struct Int16Multiplier {
  int32_t value = 0;
  int right = 0;
  bool IsShiftOf64() const { return right >= 1 && right <= 62; }
};
// For CONV_2D, DEPTHWISE_CONV_2D, TRANSPOSE_CONV and FULLY_CONNECTED of older
// runtimes: only 16 bits of the multiplier.
Int16Multiplier Int16MultiplierOf(double real);
// For FULLY_CONNECTED of newer runtimes.
Int16Multiplier Int16MultiplierOf31Bits(double real);

// The factor of each of REDUCE_PROD's `count` steps: the input's scale over the
// count-th root of the output's.
Int16Multiplier ProductStepOf(float input, float output, int count);

// sum / count, rounded as in TFLite: ties away from zero. count > 0.
int32_t DivideRounded(int32_t sum, int32_t count);

// ADD and SUB of 8-bit tensors: both operands are rescaled to twice the larger
// scale with 20 extra bits, added, and rescaled to the output. SUB negates b.
struct AddMultipliers {
  Multiplier a;
  Multiplier b;
  Multiplier sum;
  static constexpr int kMoreBits = 20;
  static constexpr int kMoreBitsOfSixteen = 15;  // for 16-bit tensors
  static constexpr int kMoreBitsOfSquares = 7;   // for SQUARED_DIFFERENCE
};
AddMultipliers AddMultipliersOf(float a_scale, float b_scale, float sum_scale,
                                int more_bits = AddMultipliers::kMoreBits);
// SQUARED_DIFFERENCE.
AddMultipliers SquaredDifferenceMultipliersOf(float a_scale, float b_scale,
                                              float output_scale);

}  // namespace gles_delegate::quant

#endif  // GLES_DELEGATE_QUANT_FIXED_POINT_H_
