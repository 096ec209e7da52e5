#include "quant/int4.h"

namespace gles_delegate::quant {
namespace {

template <int kBits>
std::vector<uint8_t> Unpack(absl::Span<const uint8_t> packed, size_t count) {
  constexpr size_t kPerByte = 8 / kBits;
  std::vector<uint8_t> values(count);
  // Code K of a byte, with its sign.
  const auto code = [](uint8_t byte, size_t k) {
    const auto high = static_cast<uint8_t>(byte << (8 - kBits * (k + 1)));
    return static_cast<uint8_t>(static_cast<int8_t>(high) >> (8 - kBits));
  };
  const size_t whole = count / kPerByte;
  for (size_t i = 0; i < whole; ++i) {
    for (size_t k = 0; k < kPerByte; ++k) {
      values[i * kPerByte + k] = code(packed[i], k);
    }
  }
  for (size_t i = whole * kPerByte; i < count; ++i) {
    values[i] = code(packed[whole], i % kPerByte);
  }
  return values;
}

}  // namespace

std::vector<uint8_t> UnpackInt4(absl::Span<const uint8_t> packed,
                                size_t count) {
  return Unpack<4>(packed, count);
}

std::vector<uint8_t> UnpackInt2(absl::Span<const uint8_t> packed,
                                size_t count) {
  return Unpack<2>(packed, count);
}

}  // namespace gles_delegate::quant
