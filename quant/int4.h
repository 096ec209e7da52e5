// Values as packed in TFLite's INT4 and INT2 tensors: -8 to 7, two per byte, or
// -2 to 1, four per byte, low bits first; the last byte may have fewer.
#ifndef GLES_DELEGATE_QUANT_INT4_H_
#define GLES_DELEGATE_QUANT_INT4_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace gles_delegate::quant {

// The values as bytes of int8. `packed` holds (count + 1) / 2 bytes or more.
std::vector<uint8_t> UnpackInt4(absl::Span<const uint8_t> packed, size_t count);

// The same of (count + 3) / 4 bytes or more.
std::vector<uint8_t> UnpackInt2(absl::Span<const uint8_t> packed, size_t count);

}  // namespace gles_delegate::quant

#endif  // GLES_DELEGATE_QUANT_INT4_H_
