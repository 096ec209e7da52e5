#include "quant/code_table.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "quant/fixed_point.h"

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

namespace {

// Converts a float to int32 as x86 does: the minimum for NaN and values out of
// range.
int32_t ToInt(float x) {
  constexpr float kPast = 2147483648.0f;
  if (x >= -kPast && x < kPast) return static_cast<int32_t>(x);
  return std::numeric_limits<int32_t>::min();
}

// The table of a function of code - zero point that gives the output's, before
// its zero point and range.
CodeTable TableOfSteps(const AffineQuantized& in, const AffineQuantized& out,
                       absl::FunctionRef<int64_t(int32_t)> function) {
  CodeTable table;
  for (int i = 0; i < 256; ++i) {
    const int64_t code =
        function(in.range.low + i - in.zero_point) + out.zero_point;
    table[i] = static_cast<int32_t>(
        std::clamp<int64_t>(code, out.range.low, out.range.high));
  }
  return table;
}

// 16-bit fixed point of 15 bits behind the point.
int16_t Saturated(int32_t x) {
  return static_cast<int16_t>(
      std::clamp<int32_t>(x, std::numeric_limits<int16_t>::min(),
                          std::numeric_limits<int16_t>::max()));
}

// a * b / 2^15, rounded to the nearest, ties up.
int16_t RoundedProduct(int16_t a, int16_t b) {
  const int32_t product = int32_t{a} * b;
  return Saturated((product + (1 << 14)) >> 15);
}

// a * b / 2^15, towards zero.
int16_t TruncatedProduct(int16_t a, int16_t b) {
  return Saturated(int32_t{a} * b / (1 << 15));
}

int16_t ShiftedLeft(int16_t x, int shift) {
  return Saturated(static_cast<int32_t>(std::clamp<int64_t>(
      int64_t{x} * (int64_t{1} << std::min(shift, 31)), INT32_MIN, INT32_MAX)));
}

// x / 2^shift, rounded to the nearest, ties away from zero. Past 15 the masks
// of TFLite's 16-bit arithmetic have no bits left, and 0 and all above it
// give 1.
int32_t ShiftedRight(int16_t x, int shift) {
  if (shift == 0) return x;
  if (shift > 15) return x < 0 ? -1 : 1;
  const int32_t half = (1 << (shift - 1)) - (x < 0 ? 1 : 0);
  return (x + half) >> shift;
}

// The upper half of a multiplier, rounded.
int16_t AsInt16(int32_t multiplier) {
  constexpr int32_t kHalf = 1 << 15;
  if (multiplier >= std::numeric_limits<int32_t>::max() - kHalf) {
    return std::numeric_limits<int16_t>::max();
  }
  return static_cast<int16_t>((multiplier + kHalf) >> 16);
}

// x / 6 + 1 / 2 between 0 and 1, with 15 bits behind the point, of a value with
// seven bits more than a code.
int16_t HardSigmoid(int16_t fine, const Multiplier& m) {
  int16_t value = fine;
  // Shifts in the last bit after the multiplication, so that it saturates only
  // if the result does.
  if (m.shift > 0) value = ShiftedLeft(value, m.shift - 1);
  value = RoundedProduct(value, AsInt16(m.value));
  if (m.shift > 0) value = ShiftedLeft(value, 1);
  if (m.shift < 0) {
    value = static_cast<int16_t>(ShiftedRight(value, -m.shift));
  }
  return static_cast<int16_t>((value + (1 << 15)) >> 1);
}

}  // namespace

CodeTable TableOf(const AffineQuantized& in, const AffineQuantized& out,
                  absl::FunctionRef<float(float)> function) {
  const float inverse_scale = 1 / out.scale;
  CodeTable table;
  for (int i = 0; i < 256; ++i) {
    const float x =
        in.scale * static_cast<float>(in.range.low + i - in.zero_point);
    const float steps = std::round(function(x) * inverse_scale);
    const int32_t code = ToInt(steps + static_cast<float>(out.zero_point));
    table[i] = std::clamp(code, out.range.low, out.range.high);
  }
  return table;
}

std::optional<CodeTable> LeakyReluTable(const AffineQuantized& in,
                                        const AffineQuantized& out,
                                        float alpha) {
  const Multiplier identity = MultiplierOf(ReluScale(in.scale, out.scale));
  const double factor = double{in.scale * alpha / out.scale};
  const Multiplier negative = MultiplierOf(std::abs(factor));
  if (identity.shift > 30 || negative.shift > 30) return std::nullopt;
  return TableOfSteps(in, out, [&](int32_t x) {
    if (x >= 0) return Multiply(x, identity, Ties::kAwayFromZero);
    return Multiply(factor < 0 ? -x : x, negative, Ties::kAwayFromZero);
  });
}

std::optional<CodeTable> HardSwishTable(const AffineQuantized& in,
                                        const AffineQuantized& out) {
  // Seven bits more than a code fill 16 bits.
  const float fine_scale = (1.0f / 128.0f) * in.scale;
  const Multiplier to_output = MultiplierOf(double{fine_scale / out.scale});
  const Multiplier to_sigmoid =
      MultiplierOf(double{fine_scale / (3.0f / 32768.0f)});
  if (to_output.shift > 0 || to_sigmoid.shift > 30) return std::nullopt;
  return TableOfSteps(in, out, [&](int32_t x) {
    const auto fine = static_cast<int16_t>(x * 128);
    const int16_t scaled = RoundedProduct(fine, AsInt16(to_output.value));
    const int16_t product =
        TruncatedProduct(HardSigmoid(fine, to_sigmoid), scaled);
    return ShiftedRight(product, -to_output.shift);
  });
}

std::optional<CodeTable> AbsTable(const AffineQuantized& in,
                                  const AffineQuantized& out) {
  const Multiplier m = MultiplierOf(ReluScale(in.scale, out.scale));
  if (m.shift > 30) return std::nullopt;
  return TableOfSteps(in, out, [&](int32_t x) {
    if (in.scale == out.scale) return std::abs(x);
    return Multiply(std::abs(x), m, Ties::kAwayFromZero);
  });
}

std::optional<CodeTable> RsqrtTable(const AffineQuantized& in,
                                    const AffineQuantized& out) {
  constexpr int kMoreBits = 20;
  const Multiplier m =
      MultiplierOf(1. / double{std::sqrt(in.scale) * out.scale});
  if (m.shift > 30) return std::nullopt;
  return TableOfSteps(in, out, [&](int32_t x) -> int64_t {
    if (x <= 0) return int64_t{out.range.high} - out.zero_point;
    Multiplier inverse = InverseRoot(x);
    inverse.shift += kMoreBits;
    const int32_t root = Multiply(1, inverse, Ties::kAwayFromZero);
    return Multiply(root, {m.value, m.shift - kMoreBits}, Ties::kAwayFromZero);
  });
}

std::optional<CodeTable> SqrtTable(const AffineQuantized& in,
                                   const AffineQuantized& out) {
  CodeTable table;
  for (int i = 0; i < 256; ++i) {
    const int code = in.range.low + i - in.zero_point;
    const float root =
        std::sqrt(in.scale * static_cast<float>(std::max(code, 0)));
    table[i] = std::clamp(ToInt(root / out.scale) + out.zero_point,
                          out.range.low, out.range.high);
  }
  return table;
}

}  // namespace gles_delegate::quant
