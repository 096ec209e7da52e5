// DIV of 8-bit tensors by the fixed-point arithmetic of TFLite's kernel, as a
// table over both operands. Pure functions, any thread.
#ifndef GLES_DELEGATE_QUANT_CODE_QUOTIENT_H_
#define GLES_DELEGATE_QUANT_CODE_QUOTIENT_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "quant/code_table.h"

namespace gles_delegate::quant {

// Returns [65536]: element 256 * i + j is the output for the i-th smallest
// dividend and the j-th smallest divisor. Division by zero, undefined in
// TFLite, gives the end of the range with the dividend's sign. nullopt: the
// output's scale is so small that TFLite's kernel would shift by a negative
// number.
std::optional<std::vector<int16_t>> QuotientTable(const AffineQuantized& a,
                                                  const AffineQuantized& b,
                                                  const AffineQuantized& out);

}  // namespace gles_delegate::quant

#endif  // GLES_DELEGATE_QUANT_CODE_QUOTIENT_H_
