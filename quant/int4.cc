#include "quant/int4.h"

namespace gles_delegate::quant {

std::vector<int8_t> UnpackInt4(absl::Span<const uint8_t> packed, size_t count) {
  std::vector<int8_t> codes(count);
  for (size_t i = 0; i < count; ++i) {
    const int nibble = (packed[i / 2] >> (i % 2 == 0 ? 0 : 4)) & 15;
    codes[i] = static_cast<int8_t>(nibble < 8 ? nibble : nibble - 16);
  }
  return codes;
}

}  // namespace gles_delegate::quant
