#include "quant/int4.h"

namespace gles_delegate::quant {
namespace {

template <int kBits>
std::vector<int8_t> Unpack(absl::Span<const uint8_t> packed, size_t count) {
  constexpr size_t kPerByte = 8 / kBits;
  constexpr int kSize = 1 << kBits;
  std::vector<int8_t> quantized(count);
  for (size_t i = 0; i < count; ++i) {
    const int code =
        (packed[i / kPerByte] >> (i % kPerByte * kBits)) & (kSize - 1);
    quantized[i] = static_cast<int8_t>(code < kSize / 2 ? code : code - kSize);
  }
  return quantized;
}

}  // namespace

std::vector<int8_t> UnpackInt4(absl::Span<const uint8_t> packed, size_t count) {
  return Unpack<4>(packed, count);
}

std::vector<int8_t> UnpackInt2(absl::Span<const uint8_t> packed, size_t count) {
  return Unpack<2>(packed, count);
}

}  // namespace gles_delegate::quant
