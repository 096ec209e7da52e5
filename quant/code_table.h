// Functions of one 8-bit value as tables of 256 entries, by the arithmetic of
// TFLite's kernels: in integers if they compute in integers, else by the table
// that they fill from floats.
#ifndef GLES_DELEGATE_QUANT_CODE_TABLE_H_
#define GLES_DELEGATE_QUANT_CODE_TABLE_H_

#include <array>
#include <cstdint>
#include <optional>

#include "absl/functional/function_ref.h"
#include "quant/affine.h"
#include "quant/fixed_point.h"

namespace gles_delegate::quant {

// 1 / sqrt(x) in fixed point, as TFLite's integer kernels compute it for RSQRT
// and L2_NORMALIZATION of 8-bit tensors.
// A multiplier close to 1 / sqrt(x), by five steps of Newton's iteration with
// three integer bits; its shift is at most 0. For x <= 1: just below 1.
Multiplier InverseRoot(int32_t x);

// The quantization of an 8-bit tensor.
struct AffineQuantized {
  float scale = 1;
  int32_t zero_point = 0;
  CodeRange range = {-128, 127};
};

// The output value for each input value, smallest first.
using CodeTable = std::array<int32_t, 256>;

// TFLite's LUTPopulate: dequantize, apply `function`, multiply by 1 / scale in
// float32, round ties away from zero. For TANH, LOGISTIC, ELU, GELU, EXP, LOG.
CodeTable TableOf(const AffineQuantized& in, const AffineQuantized& out,
                  absl::FunctionRef<float(float)> function);

// LEAKY_RELU; `alpha` may have either sign. nullopt: a factor of 2^30 or more,
// which TFLite cannot represent as a multiplier.
std::optional<CodeTable> LeakyReluTable(const AffineQuantized& in,
                                        const AffineQuantized& out,
                                        float alpha);

// HARD_SWISH in 16-bit fixed point. nullopt: the output's scale is so small
// that TFLite's kernel refuses it.
std::optional<CodeTable> HardSwishTable(const AffineQuantized& in,
                                        const AffineQuantized& out);

// ABS.
std::optional<CodeTable> AbsTable(const AffineQuantized& in,
                                  const AffineQuantized& out);

// RSQRT, by Newton's iteration in fixed point. The maximum for inputs of 0 and
// below; TFLite's Invoke fails for negative ones.
std::optional<CodeTable> RsqrtTable(const AffineQuantized& in,
                                    const AffineQuantized& out);

// SQRT, truncated. The output's zero point for negative inputs, for which
// TFLite's Invoke fails.
std::optional<CodeTable> SqrtTable(const AffineQuantized& in,
                                   const AffineQuantized& out);

}  // namespace gles_delegate::quant

#endif  // GLES_DELEGATE_QUANT_CODE_TABLE_H_
