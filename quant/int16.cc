#include "quant/int16.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace gles_delegate::quant {
namespace {

constexpr int kMin = -32768, kMax = 32767;

int16_t Saturated(int64_t x) {
  return static_cast<int16_t>(std::clamp<int64_t>(x, kMin, kMax));
}

// TFLite's test for a power of two: its exponent within a thousandth.
std::optional<int> Exponent(float scale) {
  const float exponent = std::log(scale) * (1.0f / std::log(2.0f));
  const float rounded = std::round(exponent);
  if (!(std::abs(exponent - rounded) < 1e-3f)) return std::nullopt;
  return static_cast<int>(rounded);
}

// --- Fixed point of 16 bits --------------------------------------------------

// a * b with 15 fractional bits; ties go up.
int16_t Product(int16_t a, int16_t b) {
  return Saturated((int32_t{a} * b + (1 << 14)) >> 15);
}

// x / 2^shift to the nearest, ties away from zero.
int16_t Halved(int16_t x, int shift) {
  const int32_t half = (1 << (shift - 1)) - (x < 0 ? 1 : 0);
  return static_cast<int16_t>((x + half) >> shift);
}

// A real number with `fraction_bits` fractional bits.
int16_t Fixed(double real, int fraction_bits) {
  return Saturated(std::llround(std::ldexp(real, fraction_bits)));
}

// e^a for -1/4 <= a < 0, both with 15 bits behind the point: four terms of the
// series around -1/8.
int16_t ExpOfQuarter(int16_t a) {
  const auto x = static_cast<int16_t>(a + (1 << 12));
  const int16_t x2 = Product(x, x);
  const int16_t x3 = Product(x2, x);
  const int16_t x4 = Product(x2, x2);
  const int16_t third = Fixed(1.0 / 3, 15);
  const int16_t cubes =
      Product(static_cast<int16_t>(Halved(x4, 2) + x3), third);
  const int16_t rest = Halved(static_cast<int16_t>(cubes + x2), 1);
  const int16_t middle = Fixed(std::exp(-0.125), 15);
  return Saturated(int32_t{middle} +
                   Product(middle, static_cast<int16_t>(x + rest)));
}

// e^a for a <= 0 with `integer_bits` before the point, as 15 bits behind it.
int16_t ExpOfNegative(int16_t a, int integer_bits) {
  const int fraction_bits = 15 - integer_bits;
  const int quarter = 1 << (fraction_bits - 2);
  const int in_quarter = (a & (quarter - 1)) - quarter;
  int16_t result = ExpOfQuarter(Saturated(in_quarter * (1 << integer_bits)));
  const int remainder = in_quarter - a;
  for (int power = -2; power < integer_bits; ++power) {
    if ((remainder & (1 << (fraction_bits + power))) == 0) continue;
    result = Product(result, Fixed(std::exp(-std::ldexp(1.0, power)), 15));
  }
  return a == 0 ? static_cast<int16_t>(kMax) : result;
}

// 2 / (1 + a) for 0 <= a < 1 (15 bits behind the point), with 13 bits behind
// it: three steps of Newton's division.
int16_t TwiceInverse(int16_t a) {
  const auto half_denominator =
      static_cast<int16_t>((int32_t{a} + kMax + 1) >> 1);
  const int16_t min = Fixed(48.0 / 17, 13), slope = Fixed(-32.0 / 17, 13);
  auto x = static_cast<int16_t>(min + Product(half_denominator, slope));
  for (int i = 0; i < 3; ++i) {
    const auto error =
        static_cast<int16_t>((1 << 13) - Product(half_denominator, x));
    x = static_cast<int16_t>(x + Saturated(int32_t{Product(x, error)} * 4));
  }
  return x;
}

int16_t LogisticInFixedPoint(int16_t code) {
  if (code == 0) return 1 << 14;
  const auto below = static_cast<int16_t>(code > 0 ? -code : code);
  // Half of it, with 15 bits behind the point.
  const int16_t positive =
      Saturated(int32_t{TwiceInverse(ExpOfNegative(below, 3))} * 2);
  return code > 0 ? positive : static_cast<int16_t>(kMax - positive);
}

int16_t TanhInFixedPoint(int16_t code) {
  if (code == 0) return 0;
  const auto below = static_cast<int16_t>(code > 0 ? -code : code);
  // Twice of it has the same bits with one more before the point.
  const int16_t inverse = TwiceInverse(ExpOfNegative(below, 4));
  const int16_t positive = Saturated((int32_t{inverse} - (1 << 13)) * 4);
  return code > 0 ? positive : static_cast<int16_t>(-positive);
}

// --- Interpolation between points --------------------------------------------

// The logistic function of i / 24, times 2^16. TFLite's points are raised by
// half of the line's error in the middle of the next segment; the last one is
// exact.
uint32_t LogisticPoint(int i) {
  if (i == 255) return 65535;
  const auto logistic = [](double at) {
    return 65536.0 / (1.0 + std::exp(-at / 24.0));
  };
  const double line = (logistic(i) + logistic(i + 1)) / 2;
  const double point = logistic(i) + (logistic(i + 0.5) - line) / 2;
  return static_cast<uint32_t>(std::round(point));
}

// Converts a value to 12,288ths: a 16-bit multiplier and a right shift.
struct Scaling {
  int32_t multiplier = 0;
  int shift = 0;
};

std::optional<Scaling> ScalingOf(float in_scale) {
  Scaling s;
  double multiplier = static_cast<double>(in_scale) * 4096.0 * 3.0;
  if (multiplier >= 65535.0) return std::nullopt;
  while (multiplier <= 32767.0 / 2.0 && s.shift <= 30) {
    multiplier *= 2;
    ++s.shift;
  }
  s.multiplier = static_cast<int32_t>(multiplier);
  return s;
}

template <typename Function>
Int16Table TableOf(Function function) {
  Int16Table table;
  table.reserve(65536);
  for (int code = kMin; code <= kMax; ++code) {
    table.push_back(function(static_cast<int16_t>(code)));
  }
  return table;
}

// `fraction_bits` of the number of 12,288ths are between two points. Element:
// the logistic function with 16 + fraction_bits fractional bits.
class Interpolation {
 public:
  Interpolation(Scaling scaling, int fraction_bits)
      : scaling_(scaling), fraction_bits_(fraction_bits) {
    for (int i = 0; i < 256; ++i) points_.push_back(LogisticPoint(i));
  }
  int32_t Number(int16_t code) const {
    const int32_t round = scaling_.shift > 0 ? 1 << (scaling_.shift - 1) : 0;
    return (code * scaling_.multiplier + round) >> scaling_.shift;
  }
  uint32_t OfMagnitude(uint32_t number, uint32_t past_the_last) const {
    const uint32_t at = number >> fraction_bits_;
    if (at >= 255) return past_the_last;
    const uint32_t rest = number & ((1u << fraction_bits_) - 1);
    return (points_[at] << fraction_bits_) +
           rest * (points_[at + 1] - points_[at]);
  }

 private:
  Scaling scaling_;
  int fraction_bits_;
  std::vector<uint32_t> points_;
};

// --- Lines of SOFTMAX --------------------------------------------------------

// Moves each point by half of the line's error in the middle.
template <typename Function>
SoftmaxOfInt16::Lines LinesOf(Function function, double from, double to) {
  SoftmaxOfInt16::Lines lines;
  const int count = static_cast<int>(lines.size()) - 1;
  const double step = (to - from) / count;
  const double one = 32768.0;
  for (int i = 0; i < count; ++i) {
    const double x = from + i * step;
    const double y = std::round(function(x) * one);
    const double next = function(from + (i + 1) * step) * one;
    const double of_line = std::round((next + y) / 2.0);
    const double in_middle = std::round(function(x + step / 2.0) * one);
    const double off = std::round((of_line - in_middle) / 2.0);
    lines[i] = Saturated(static_cast<int64_t>(y - off));
  }
  lines[count] = Saturated(std::llround(function(to) * one));
  return lines;
}

// The points of TFLite's tables of any function, in float32: each is moved by
// half of the line's error in the middle.
std::array<int16_t, 513> PointsOf(float in_scale, float out_scale,
                                  absl::FunctionRef<float(float)> function) {
  std::array<int16_t, 513> points;
  const auto saturated = [](float x) {
    return static_cast<int16_t>(std::min(std::max(x, -32768.0f), 32767.0f));
  };
  const int count = static_cast<int>(points.size()) - 1;
  const float min = in_scale * kMin, max = in_scale * kMax;
  const float step = (max - min) / static_cast<float>(count);
  const float half_step = step / 2;
  const float inverse = 65536.0f / (out_scale * kMax - out_scale * kMin);
  for (int i = 0; i < count; ++i) {
    const float x = min + static_cast<float>(i) * step;
    const float y = std::round(function(x) * inverse);
    const float next =
        function(min + static_cast<float>(i + 1) * step) * inverse;
    const float of_line = std::round((next + y) / 2);
    const float in_middle = std::round(function(x + half_step) * inverse);
    points[i] = saturated(y - std::round((of_line - in_middle) / 2));
  }
  points[count] = saturated(std::round(function(max) * inverse));
  return points;
}

}  // namespace

Int16Table LinesOfInt16(float in_scale, float out_scale,
                        absl::FunctionRef<float(float)> function) {
  const auto points = PointsOf(in_scale, out_scale, function);
  return TableOf([&](int16_t code) {
    const int at = 256 + (code >> 7), past = code & 127;
    // Both wrap as TFLite's 16 bits do.
    const auto slope = static_cast<int16_t>(points[at + 1] - points[at]);
    return static_cast<int16_t>(points[at] + ((slope * past + 64) >> 7));
  });
}

Int16Table SqrtOfInt16(float in_scale, float out_scale) {
  return TableOf([&](int16_t code) {
    const float root =
        std::sqrt(in_scale * static_cast<float>(std::max<int>(code, 0)));
    return static_cast<int16_t>(std::min(root / out_scale, 32767.0f));
  });
}

bool IsScaleOfFractions(float scale) { return Exponent(scale) == -15; }

std::optional<Int16Table> LogisticOfInt16(float in_scale) {
  if (Exponent(in_scale) == -12) return TableOf(LogisticInFixedPoint);
  const std::optional<Scaling> scaling = ScalingOf(in_scale);
  if (!scaling) return std::nullopt;
  const Interpolation points(*scaling, 9);
  return TableOf([&](int16_t code) {
    const int32_t number = points.Number(code);
    const uint32_t y = points.OfMagnitude(
        static_cast<uint32_t>(std::abs(number)), 0x7fffu << 10);
    const uint32_t half = 1u << 9;
    const uint32_t of_sign = number >= 0 ? y + half : (1u << 25) - y + half - 1;
    return static_cast<int16_t>(of_sign >> 10);
  });
}

std::optional<Int16Table> TanhOfInt16(float in_scale) {
  const std::optional<int> exponent = Exponent(in_scale);
  if (exponent == -12) return TableOf(TanhInFixedPoint);
  if (exponent == -11) {
    return TableOf([](int16_t code) {
      return TanhInFixedPoint(Saturated(int32_t{code} * 2));
    });
  }
  const std::optional<Scaling> scaling = ScalingOf(in_scale);
  if (!scaling) return std::nullopt;
  const Interpolation points(*scaling, 8);
  return TableOf([&](int16_t code) {
    const int32_t number = points.Number(code);
    const auto y = static_cast<int32_t>(points.OfMagnitude(
        static_cast<uint32_t>(std::abs(number)), 0xffffu << 8));
    const int32_t one = 1 << 23, half = 1 << 7;
    const int32_t of_sign = number >= 0 ? y - one + half : one - y + half - 1;
    return static_cast<int16_t>(of_sign >> 8);
  });
}

std::optional<Int16Table> LeakyReluOfInt16(float in_scale, float out_scale,
                                           float alpha) {
  constexpr int kMaxShift = 15;
  const Multiplier identity = MultiplierOf(ReluScale(in_scale, out_scale));
  const double factor = double{in_scale * alpha / out_scale};
  const Multiplier negative = MultiplierOf(std::abs(factor));
  if (identity.shift > kMaxShift || negative.shift > kMaxShift) {
    return std::nullopt;
  }
  return TableOf([&](int16_t code) {
    const int32_t x = code;
    if (x >= 0) return Saturated(Multiply(x, identity, Ties::kAwayFromZero));
    return Saturated(
        Multiply(factor < 0 ? -x : x, negative, Ties::kAwayFromZero));
  });
}

std::optional<SoftmaxOfInt16> SoftmaxOf(float in_scale, float beta) {
  SoftmaxOfInt16 softmax;
  // TFLite multiplies in float32.
  const double scale = double{in_scale * beta} / (10.0 / 65535.0);
  if (!(scale >= 0)) return std::nullopt;
  softmax.place = MultiplierOf(scale);
  // Differences are up to 65,535.
  if (softmax.place.shift > 14) return std::nullopt;
  softmax.exps = LinesOf([](double x) { return std::exp(x); }, -10.0, 0.0);
  softmax.inverses =
      LinesOf([](double x) { return 1.0 / (1.0 + x); }, 0.0, 1.0);
  return softmax;
}

}  // namespace gles_delegate::quant
