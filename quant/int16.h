// Functions of int16 values (16x8 models) by the arithmetic of TFLite's
// kernels: tables that the host fills for the shaders.
//
// int16 tensors have the zero point 0. Pure functions, any thread.
#ifndef GLES_DELEGATE_QUANT_INT16_H_
#define GLES_DELEGATE_QUANT_INT16_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "quant/fixed_point.h"

namespace gles_delegate::quant {

// The output for each of the 65,536 input values, from -32768 on.
using Int16Table = std::vector<int16_t>;

// LOGISTIC and TANH, with the output scale 2^-15. Input scale 2^-12 (TANH: also
// 2^-11) uses fixed-point functions, all others a table of 256 points with
// linear interpolation, as in TFLite. nullopt: an input scale of about 5.3 or
// more overflows TFLite's arithmetic.
std::optional<Int16Table> LogisticOfInt16(float in_scale);
std::optional<Int16Table> TanhOfInt16(float in_scale);
// LEAKY_RELU; `alpha` may have either sign. nullopt: an intermediate value may
// not fit 32 bits.
std::optional<Int16Table> LeakyReluOfInt16(float in_scale, float out_scale,
                                           float alpha);
// Any function by linear interpolation in float32 between 513 points: EXP,
// GELU, LOG, RSQRT.
Int16Table LinesOfInt16(float in_scale, float out_scale,
                        absl::FunctionRef<float(float)> function);
// SQRT, truncated; 0 for negative inputs, for which TFLite's Invoke fails.
Int16Table SqrtOfInt16(float in_scale, float out_scale);
// Whether TFLite treats this output scale as 2^-15.
bool IsScaleOfFractions(float scale);

// SOFTMAX: e^x over [-10, 0] and 1 / (1 + x) over [0, 1], each by linear
// interpolation between 513 points.
struct SoftmaxOfInt16 {
  using Lines = std::array<int16_t, 513>;
  // Multiplies (value - row maximum) to give one of 65,536 positions in the
  // first table.
  Multiplier place;
  Lines exps;
  Lines inverses;
};
// nullopt: a factor that TFLite cannot represent as a multiplier, or a position
// that does not fit 32 bits.
std::optional<SoftmaxOfInt16> SoftmaxOf(float in_scale, float beta);

}  // namespace gles_delegate::quant

#endif  // GLES_DELEGATE_QUANT_INT16_H_
