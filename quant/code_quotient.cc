#include "quant/code_quotient.h"

#include <algorithm>
#include <limits>

#include "quant/fixed_point.h"

namespace gles_delegate::quant {
namespace {

constexpr int32_t kMax = std::numeric_limits<int32_t>::max();

int32_t Saturated(int64_t x) {
  return static_cast<int32_t>(
      std::clamp<int64_t>(x, std::numeric_limits<int32_t>::min(), kMax));
}

// a * b with 31 fractional bits; ties go up.
int32_t Product(int32_t a, int32_t b) {
  return Saturated((int64_t{a} * b + (int64_t{1} << 30)) >> 31);
}

int LeadingZeros(uint32_t x) {
  int zeros = 0;
  while (zeros < 32 && (x >> (31 - zeros)) == 0) ++zeros;
  return zeros;
}

// How far x can be shifted to the left.
int Headroom(int32_t x) {
  const uint32_t magnitude = static_cast<uint32_t>(x < 0 ? -x : x);
  return LeadingZeros(x < 0 ? 2 * magnitude - 1 : magnitude) - (x < 0 ? 0 : 1);
}

// 1 / (1 + a) for 0 <= a < 1, both of 31 bits behind the point: three steps of
// Newton's division on 29 bits.
int32_t InverseOfOneAnd(int32_t a) {
  const auto half_denominator =
      static_cast<int32_t>((int64_t{a} + kMax + 1) / 2);
  constexpr int32_t kMin = 1515870810;     // 48 / 17
  constexpr int32_t kSlope = -1010580540;  // -32 / 17
  int32_t x = kMin + Product(half_denominator, kSlope);
  for (int i = 0; i < 3; ++i) {
    const int32_t error = (1 << 29) - Product(half_denominator, x);
    x += Saturated(int64_t{Product(x, error)} * 4);
  }
  return Saturated(int64_t{x} * 2);
}

// One over a number: value * 2^-(31 + shift).
struct Reciprocal {
  int32_t value;
  int shift;
};
Reciprocal ReciprocalOf(int32_t x) {
  const int zeros = LeadingZeros(static_cast<uint32_t>(x));
  const auto past_one = static_cast<int32_t>(
      (uint64_t{static_cast<uint32_t>(x)} << zeros) - (uint64_t{1} << 31));
  return {InverseOfOneAnd(past_one), 31 - zeros};
}

// x / 2^shift, rounded to nearest, ties away from zero. Quotients near zero are
// shifted by 32 and more, which overflows in TFLite's kernel: its mask is then
// all ones, and x86 shifts modulo 32.
int32_t ShiftedRight(int32_t x, int shift) {
  if (shift > 31) return (x >> (shift & 31)) + (x >= 0 ? 1 : 0);
  if (shift == 0) return x;
  const int64_t half = (int64_t{1} << (shift - 1)) - (x < 0 ? 1 : 0);
  return static_cast<int32_t>((x + half) >> shift);
}

}  // namespace

std::optional<std::vector<int16_t>> QuotientTable(const AffineQuantized& a,
                                                  const AffineQuantized& b,
                                                  const AffineQuantized& out) {
  const float of_scales = b.scale * out.scale;
  const Multiplier m = MultiplierOf(double{a.scale / of_scales});
  std::vector<int16_t> table;
  table.reserve(65536);
  for (int i = 0; i < 256; ++i) {
    for (int j = 0; j < 256; ++j) {
      int32_t x = a.range.low + i - a.zero_point;
      int32_t y = b.range.low + j - b.zero_point;
      if (y == 0) {
        table.push_back(
            static_cast<int16_t>(x < 0 ? out.range.low : out.range.high));
        continue;
      }
      if (y < 0) {
        x = -x;
        y = -y;
      }
      const Reciprocal reciprocal = ReciprocalOf(y);
      const int headroom = Headroom(x);
      const int right = reciprocal.shift + headroom - m.shift;
      if (right < 0) return std::nullopt;
      const int32_t quotient =
          Product(static_cast<int32_t>(int64_t{x} * (int64_t{1} << headroom)),
                  reciprocal.value);
      const int64_t code = ShiftedRight(Product(quotient, m.value), right);
      table.push_back(static_cast<int16_t>(std::clamp<int64_t>(
          code + out.zero_point, out.range.low, out.range.high)));
    }
  }
  return table;
}

}  // namespace gles_delegate::quant
