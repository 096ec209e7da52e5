#include "quant/affine.h"

#include <algorithm>
#include <cmath>

namespace gles_delegate::quant {

CodeRange RangeOf(int bytes, bool is_unsigned) {
  const int64_t span = int64_t{1} << (8 * bytes);
  const int64_t low = is_unsigned ? 0 : -span / 2;
  return {static_cast<int32_t>(low),
          static_cast<int32_t>(std::min<int64_t>(low + span - 1, INT32_MAX))};
}

int32_t Quantize(float value, float scale, int64_t zero_point, int32_t low,
                 int32_t high) {
  if (std::isnan(value)) return static_cast<int32_t>(zero_point);
  const double code =
      std::round(value / scale) + static_cast<double>(zero_point);
  return static_cast<int32_t>(
      std::clamp(code, static_cast<double>(low), static_cast<double>(high)));
}

// --- Four and two bits -------------------------------------------------------

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
