// The integer arithmetic of TFLite's quantized kernels: sums of products of
// (code - zero point), scaled by a fixed-point multiplier.
//
// The specification that the shaders' requantization (gl_shaders/lib/
// codes.glsl) is tested against, itself tested against TFLite's kernels.
// https://www.tensorflow.org/lite/performance/quantization_spec;
// https://github.com/google/gemmlowp/blob/master/doc/quantization.md.
#ifndef GLES_DELEGATE_QUANT_FIXED_POINT_H_
#define GLES_DELEGATE_QUANT_FIXED_POINT_H_

#include <cstdint>

namespace gles_delegate::quant {

// value * 2^(shift - 31): value is 0, or 2^30 to 2^31 - 1.
struct Multiplier {
  int32_t value = 0;
  int shift = 0;  // -31 to 30; 31: too large
};

// The nearest multiplier; 0 for what is below 2^-32. `real` is not negative. A
// shift of 31 stands for all that is 2^30 or more, or not a number.
Multiplier MultiplierOf(double real);

// What a sum of products of codes is multiplied by to give codes of the output:
// input * weights / output. TFLite takes the product of the first two in double
// where weights may have a scale per channel (`by_channel`: int8 CONV_2D and
// DEPTHWISE_CONV_2D), in float32 elsewhere.
double ConvolutionScale(float input, float weights, float output,
                        bool by_channel);

// Likewise for MUL, which takes all of it in float32.
double ProductScale(float a, float b, float output);

// What a code is multiplied by to give another quantization's, input / output:
// QUANTIZE takes it in double, RELU and its like in float32.
double QuantizeScale(float input, float output);
double ReluScale(float input, float output);

// A product is rounded twice: after the multiplication, ties up, and after the
// shift to the right, where kernels differ in what becomes of ties.
enum class Ties {
  kAwayFromZero,  // gemmlowp, and what TFLite's kernels took over from it
  kUp,  // ruy, which multiplies matrices in CONV_2D and FULLY_CONNECTED
};

// x * multiplier, for a product that fits 32 bits.
int32_t Multiply(int32_t x, Multiplier multiplier, Ties ties);

// The kernels of 16-bit codes: (sum * value + half) >> right, of 64 bits, so
// that a sum is rounded once, ties up.
struct WideMultiplier {
  int32_t value = 0;
  int right = 0;
};
// CONV_2D, DEPTHWISE_CONV_2D, TRANSPOSE_CONV, and FULLY_CONNECTED of older
// runtimes, keep but 16 bits of the multiplier.
WideMultiplier SixteenBitMultiplierOf(double real);
// FULLY_CONNECTED of newer ones.
WideMultiplier WideMultiplierOf(double real);
int32_t MultiplyOnce(int64_t sum, const WideMultiplier& multiplier);

// What REDUCE_PROD multiplies each of `count` steps by: the input's scale over
// the count-th root of the output's.
WideMultiplier ProductStepOf(float input, float output, int count);

// TFLite's rounding of sum / count: ties away from zero. count > 0.
int32_t DivideRounded(int32_t sum, int32_t count);

// ADD and SUB of 8-bit codes: both operands are brought to twice the larger of
// their scales with 20 more bits, added, and brought to the output's scale. SUB
// adds -b.
struct AddMultipliers {
  Multiplier a;
  Multiplier b;
  Multiplier sum;
  static constexpr int kMoreBits = 20;
  static constexpr int kMoreBitsOfSixteen = 15;  // where codes have 16 bits
};
AddMultipliers AddMultipliersOf(float a_scale, float b_scale, float sum_scale,
                                int more_bits = AddMultipliers::kMoreBits);
// Of code - zero point: before the output's zero point and range. a - b where
// `subtract`.
int32_t Add(int32_t a, int32_t b, const AddMultipliers& multipliers,
            bool subtract = false);

// SQUARED_DIFFERENCE likewise, with seven more bits.
AddMultipliers SquaredDifferenceMultipliersOf(float a_scale, float b_scale,
                                              float output_scale);
int32_t SquaredDifference(int32_t a, int32_t b,
                          const AddMultipliers& multipliers);

// EQUAL, LESS and their like: a code - zero point, with eight more bits, times
// its own scale. Two codes are compared by this, of whatever tensors.
Multiplier ComparisonMultiplier(float scale);

}  // namespace gles_delegate::quant

#endif  // GLES_DELEGATE_QUANT_FIXED_POINT_H_
