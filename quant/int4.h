// 4-bit values as packed in TFLite's INT4 tensors: -8 to 7, two per byte, low
// half first; the last byte of an odd count has one.
#ifndef GLES_DELEGATE_QUANT_INT4_H_
#define GLES_DELEGATE_QUANT_INT4_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace gles_delegate::quant {

// `packed` holds (count + 1) / 2 bytes or more.
std::vector<int8_t> UnpackInt4(absl::Span<const uint8_t> packed, size_t count);

}  // namespace gles_delegate::quant

#endif  // GLES_DELEGATE_QUANT_INT4_H_
