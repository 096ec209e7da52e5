#include "quant/inverse_root.h"

#include <algorithm>
#include <limits>

namespace gles_delegate::quant {
namespace {

// Numbers with three bits before the point are integers times 2^-28; the
// product of two has six, that of three nine.
constexpr int32_t kOne = 1 << 28;
constexpr int32_t kThreeHalves = kOne + kOne / 2;
// sqrt(2) / 2 with no bit before the point.
constexpr int32_t kHalfRootOfTwo = 1518500250;

int32_t Product(int32_t a, int32_t b) {
  return static_cast<int32_t>((int64_t{a} * b + (int64_t{1} << 30)) >> 31);
}

// Fewer bits before the point.
int32_t Drop(int32_t x, int bits) {
  const int64_t shifted = int64_t{x} * (int64_t{1} << bits);
  return static_cast<int32_t>(
      std::clamp<int64_t>(shifted, std::numeric_limits<int32_t>::min(),
                          std::numeric_limits<int32_t>::max()));
}

int LeadingZeros(int32_t x) {
  int zeros = 0;
  for (int64_t bit = int64_t{1} << 31; bit > x; bit >>= 1) ++zeros;
  return zeros;
}

}  // namespace

Multiplier InverseRoot(int32_t x) {
  if (x <= 1) return {std::numeric_limits<int32_t>::max(), 0};
  int right = 11;
  while (x >= 1 << 29) {
    x /= 4;
    ++right;
  }
  // By an even number of bits, so that the root shifts by half of it.
  const int pairs = (LeadingZeros(x) - 1) / 2 - 1;
  right -= pairs;
  const int32_t value = (x << (2 * pairs)) >> 1;
  const int32_t half_value = (value + 1) >> 1;
  int32_t root = kOne;
  for (int i = 0; i < 5; ++i) {
    const int32_t cube = Drop(Product(Product(root, root), root), 6);
    root = Drop(Product(kThreeHalves, root) - Product(half_value, cube), 3);
  }
  root = Product(root, kHalfRootOfTwo);
  if (right < 0) return {root * (1 << -right), 0};
  return {root, -right};
}

}  // namespace gles_delegate::quant
