// Functions of one or two quantized values as tables, by the arithmetic of
// TFLite's kernels: in integers if they compute in integers, else by the table
// that they fill from floats. The shaders look results up. int16 tensors have
// the zero point 0. Pure functions, any thread.
#ifndef GLES_DELEGATE_QUANT_CODE_TABLE_H_
#define GLES_DELEGATE_QUANT_CODE_TABLE_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "quant/fixed_point.h"

namespace gles_delegate::quant {

// The quantization of an 8- or 16-bit tensor.
struct AffineQuantized {
  float scale = 1;
  int32_t zero_point = 0;
  CodeRange range = {-128, 127};
};

// The output for each input value, smallest first: 256, or 65,536.
using CodeTable = std::vector<int32_t>;

// The function with this name in gl_shaders/lib/elementwise.glsl, between
// tensors of one type. `alpha`: its parameter, with either sign. Inputs for
// which TFLite's Invoke fails have any value. nullopt: TFLite has no kernel, or
// its arithmetic overflows, or it refuses the scales.
std::optional<CodeTable> TableOf(absl::string_view function,
                                 const AffineQuantized& in,
                                 const AffineQuantized& out, float alpha = 0);

// TFLite's LUTPopulate: dequantize, apply `function`, multiply by 1 / scale in
// float32, round ties away from zero.
CodeTable TableOfFloats(const AffineQuantized& in, const AffineQuantized& out,
                        absl::FunctionRef<float(float)> function);

// DIV of 8-bit tensors, [65536]: element 256 * i + j is the output for the i-th
// smallest dividend and the j-th smallest divisor. Division by zero, undefined
// in TFLite, gives the end of the range with the dividend's sign. nullopt: the
// output's scale is so small that TFLite's kernel would shift by a negative
// number.
std::optional<CodeTable> QuotientTable(const AffineQuantized& a,
                                       const AffineQuantized& b,
                                       const AffineQuantized& out);

// The exponent of a scale that TFLite takes for a power of two: it is within a
// thousandth.
std::optional<int> ExponentOf(float scale);
// Whether TFLite treats this scale of an int16 output as 2^-15.
bool IsScaleOfFractions(float scale);

// SOFTMAX of int16: e^x over [-10, 0] and 1 / (1 + x) over [0, 1], each by
// linear interpolation between 513 points.
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

#endif  // GLES_DELEGATE_QUANT_CODE_TABLE_H_
