// DIV of 8-bit codes by the fixed-point arithmetic of TFLite's kernel, as a
// table of both operands' codes. Pure functions, any thread.
#ifndef GLES_DELEGATE_QUANT_CODE_QUOTIENT_H_
#define GLES_DELEGATE_QUANT_CODE_QUOTIENT_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "quant/code_table.h"

namespace gles_delegate::quant {

// [65536]: of the dividend's code i and the divisor's code j, both counted from
// the least, element 256 * i + j: the output's code. A divisor of zero, which
// TFLite's kernel has no result for, gives the end of the range on the
// dividend's side. nullopt: an output so fine that TFLite's kernel shifts by a
// negative number.
std::optional<std::vector<int16_t>> QuotientTable(const AffineCodes& a,
                                                  const AffineCodes& b,
                                                  const AffineCodes& out);

}  // namespace gles_delegate::quant

#endif  // GLES_DELEGATE_QUANT_CODE_QUOTIENT_H_
