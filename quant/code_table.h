// Functions of one 8-bit code as tables of 256 codes, by the arithmetic of
// TFLite's kernels: integers where these compute in integers, the table that
// they fill from floats where they look codes up.
#ifndef GLES_DELEGATE_QUANT_CODE_TABLE_H_
#define GLES_DELEGATE_QUANT_CODE_TABLE_H_

#include <array>
#include <cstdint>
#include <optional>

#include "absl/functional/function_ref.h"
#include "quant/affine.h"

namespace gles_delegate::quant {

// What the codes of an 8-bit tensor stand for.
struct AffineCodes {
  float scale = 1;
  int32_t zero_point = 0;
  CodeRange range = {-128, 127};
};

// The output's code for each of the input's, the least first.
using CodeTable = std::array<int32_t, 256>;

// TFLite's LUTPopulate: dequantized, through `function`, times 1 / scale in
// float32, ties away from zero. TANH, LOGISTIC, ELU, GELU, EXP, LOG.
CodeTable TableOf(const AffineCodes& in, const AffineCodes& out,
                  absl::FunctionRef<float(float)> function);

// LEAKY_RELU; `alpha` may have either sign. nullopt: a factor past what TFLite
// writes as a multiplier (2^30).
std::optional<CodeTable> LeakyReluTable(const AffineCodes& in,
                                        const AffineCodes& out, float alpha);

// HARD_SWISH in 16-bit fixed point. nullopt: an output so fine that TFLite's
// kernel refuses it.
std::optional<CodeTable> HardSwishTable(const AffineCodes& in,
                                        const AffineCodes& out);

// ABS.
std::optional<CodeTable> AbsTable(const AffineCodes& in,
                                  const AffineCodes& out);

// RSQRT, by Newton's iteration in fixed point. Of 0, and of what is negative,
// where TFLite's Invoke fails: the greatest code.
std::optional<CodeTable> RsqrtTable(const AffineCodes& in,
                                    const AffineCodes& out);

// SQRT, cut off: of what is negative, where TFLite's Invoke fails, the output's
// zero point.
std::optional<CodeTable> SqrtTable(const AffineCodes& in,
                                   const AffineCodes& out);

}  // namespace gles_delegate::quant

#endif  // GLES_DELEGATE_QUANT_CODE_TABLE_H_
