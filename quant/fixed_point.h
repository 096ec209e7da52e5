// The integer arithmetic of TFLite's quantized kernels: sums of products of
// (quantized value - zero point), rescaled by a fixed-point multiplier.
//
// The reference for the shaders' requantization
// (gl_shaders/lib/quantized.glsl), itself tested against TFLite's kernels. See
// https://www.tensorflow.org/lite/performance/quantization_spec and
// https://github.com/google/gemmlowp/blob/master/doc/quantization.md.
#ifndef GLES_DELEGATE_QUANT_FIXED_POINT_H_
#define GLES_DELEGATE_QUANT_FIXED_POINT_H_

#include <cstdint>

namespace gles_delegate::quant {

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
