// Functions of 16-bit codes (16x8 models) by the arithmetic of TFLite's
// kernels: tables that the host fills for the shaders.
//
// 16-bit codes have the zero point 0. Pure functions, any thread.
#ifndef GLES_DELEGATE_QUANT_SIXTEEN_BIT_H_
#define GLES_DELEGATE_QUANT_SIXTEEN_BIT_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "quant/fixed_point.h"

namespace gles_delegate::quant {

// The output's code for each of the input's 65,536, that of -32768 first.
using WideTable = std::vector<int16_t>;

// LOGISTIC and TANH, whose outputs have the scale 2^-15. Inputs of the scale
// 2^-12 (TANH: 2^-11 too) go through fixed-point functions, all others through
// a table of 256 points, between which TFLite interpolates. nullopt: an input
// scale that is so large that TFLite's arithmetic overflows (5.3; 174,000 is
// then the largest value).
std::optional<WideTable> LogisticOfSixteenBits(float in_scale);
std::optional<WideTable> TanhOfSixteenBits(float in_scale);
// LEAKY_RELU; `alpha` may have either sign. nullopt: a code may not fit 32 bits
// on its way.
std::optional<WideTable> LeakyReluOfSixteenBits(float in_scale, float out_scale,
                                                float alpha);
// Any function by 512 lines between 513 points of float32: EXP, GELU, LOG,
// RSQRT.
WideTable LinesOfSixteenBits(float in_scale, float out_scale,
                             absl::FunctionRef<float(float)> function);
// SQRT of each code, cut off; of negative ones, where TFLite's Invoke fails, 0.
WideTable SqrtOfSixteenBits(float in_scale, float out_scale);
// Whether TFLite takes an output of this scale for one of 2^-15.
bool IsScaleOfFractions(float scale);

// SOFTMAX: e^x from a table over [-10, 0] and 1 / (1 + x) from one over
// [0, 1], each of 512 lines between 513 points.
struct SoftmaxOfSixteenBits {
  using Lines = std::array<int16_t, 513>;
  // What a code below the row's largest is multiplied by to give its place
  // among 65,536 of the first table.
  Multiplier place;
  Lines exps;
  Lines inverses;
};
// nullopt: a factor past what TFLite writes as a multiplier, or a place that
// does not fit 32 bits.
std::optional<SoftmaxOfSixteenBits> SoftmaxOf(float in_scale, float beta);

}  // namespace gles_delegate::quant

#endif  // GLES_DELEGATE_QUANT_SIXTEEN_BIT_H_
