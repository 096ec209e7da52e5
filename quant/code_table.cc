#include "quant/code_table.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/numeric/bits.h"

namespace gles_delegate::quant {
namespace {

constexpr int32_t kMin32 = std::numeric_limits<int32_t>::min();
constexpr int32_t kMax32 = std::numeric_limits<int32_t>::max();
constexpr int kMin16 = -32768, kMax16 = 32767;

int32_t Saturated32(int64_t x) {
  return static_cast<int32_t>(std::clamp<int64_t>(x, kMin32, kMax32));
}
int16_t Saturated(int64_t x) {
  return static_cast<int16_t>(std::clamp<int64_t>(x, kMin16, kMax16));
}

// a * b with 15 bits behind the point; ties go up.
int16_t Product16(int16_t a, int16_t b) {
  return Saturated((int32_t{a} * b + (1 << 14)) >> 15);
}

// Converts a float to int32 as x86 does: the minimum for NaN and values out of
// range.
int32_t ToInt(float x) {
  constexpr float kPast = 2147483648.0f;
  return x >= -kPast && x < kPast ? static_cast<int32_t>(x) : kMin32;
}

bool IsWide(const AffineQuantized& q) { return q.range.high == kMax16; }

// --- How tables are filled ---------------------------------------------------

// A table to fill; `real`: its function of real values, if it has one.
struct Job {
  const AffineQuantized& in;
  const AffineQuantized& out;
  float alpha;
  float (*real)(float x, const AffineQuantized& out);
};

// The table of a function of code - zero point that gives the output's, before
// its zero point and range.
template <typename Function>
CodeTable TableOfSteps(const Job& job, Function function) {
  CodeTable table;
  const AffineQuantized &in = job.in, &out = job.out;
  table.reserve(in.range.high - in.range.low + 1);
  for (int32_t code = in.range.low; code <= in.range.high; ++code) {
    table.push_back(Saturated32(std::clamp<int64_t>(
        int64_t{function(code - in.zero_point)} + out.zero_point, out.range.low,
        out.range.high)));
  }
  return table;
}

std::optional<CodeTable> FromFloats(const Job& job) {
  return TableOfFloats(job.in, job.out,
                       [&](float x) { return job.real(x, job.out); });
}

// The points of a line over [from, to], times `unit`: each is moved by half of
// the line's error in the middle.
template <typename Real, typename Function>
SoftmaxOfInt16::Lines PointsOf(Real from, Real to, Real unit,
                               Function function) {
  SoftmaxOfInt16::Lines points;
  const int count = static_cast<int>(points.size()) - 1;
  const Real step = (to - from) / static_cast<Real>(count);
  const auto saturated = [](Real x) {
    return static_cast<int16_t>(
        std::min(std::max(x, Real{kMin16}), Real{kMax16}));
  };
  for (int i = 0; i < count; ++i) {
    const Real x = from + static_cast<Real>(i) * step;
    const Real y = std::round(function(x) * unit);
    const Real next = function(from + static_cast<Real>(i + 1) * step) * unit;
    const Real of_line = std::round((next + y) / 2);
    const Real in_middle = std::round(function(x + step / 2) * unit);
    points[i] = saturated(y - std::round((of_line - in_middle) / 2));
  }
  points[count] = saturated(std::round(function(to) * unit));
  return points;
}

// int16: linear interpolation in float32.
std::optional<CodeTable> Lines(const Job& job) {
  const float from = job.in.scale, to = job.out.scale;
  const auto points = PointsOf(from * kMin16, from * kMax16,
                               65536.0f / (to * kMax16 - to * kMin16),
                               [&](float x) { return job.real(x, job.out); });
  return TableOfSteps(job, [&](int32_t code) {
    const int at = 256 + (code >> 7), past = code & 127;
    // Both wrap as TFLite's 16 bits do.
    const auto slope = static_cast<int16_t>(points[at + 1] - points[at]);
    return static_cast<int16_t>(points[at] + ((slope * past + 64) >> 7));
  });
}

// --- Functions of real values, in TFLite's precision -------------------------

float Elu(float x, const AffineQuantized&) {
  return x < 0.0f ? std::exp(x) - 1.0f : x;
}
float Exp(float x, const AffineQuantized&) { return std::exp(x); }
float Gelu(float x, const AffineQuantized&) {
  constexpr double kRootOfHalf = 0.70710678118654752440;
  return static_cast<float>(
      x * 0.5 * double{std::erfc(-x * static_cast<float>(kRootOfHalf))});
}
float GeluByTanh(float x, const AffineQuantized&) {
  constexpr double kRootOfTwoByPi = 0.79788456080286535588;
  return static_cast<float>(
      0.5 * x *
      (1 + std::tanh(kRootOfTwoByPi * (x + 0.044715 * std::pow(x, 3)))));
}
float Log(float x, const AffineQuantized& out) {
  if (x > 0.0f) return std::log(x);
  return static_cast<float>(out.range.low - out.zero_point) * out.scale;
}
float Logistic(float x, const AffineQuantized&) {
  return 1.0f / (1.0f + std::exp(-x));
}
float Rsqrt(float x, const AffineQuantized& out) {
  return x <= 0 ? static_cast<float>(out.range.high) * out.scale
                : 1 / std::sqrt(x);
}
float Tanh(float x, const AffineQuantized&) { return std::tanh(x); }

// --- Functions in integers ---------------------------------------------------

std::optional<CodeTable> LeakyRelu(const Job& job) {
  const int max_shift = IsWide(job.in) ? 15 : 30;  // so that it fits 32 bits
  const float from = job.in.scale, to = job.out.scale;
  const double factor = double{from * job.alpha / to};
  const Multiplier identity = MultiplierOf(ReluScale(from, to));
  const Multiplier negative = MultiplierOf(std::abs(factor));
  if (identity.shift > max_shift || negative.shift > max_shift) {
    return std::nullopt;
  }
  return TableOfSteps(job, [&](int32_t x) {
    if (x >= 0) return Multiply(x, identity, Ties::kAwayFromZero);
    return Multiply(factor < 0 ? -x : x, negative, Ties::kAwayFromZero);
  });
}

std::optional<CodeTable> Abs(const Job& job) {
  return LeakyRelu({job.in, job.out, /*alpha=*/-1, nullptr});
}

// Truncated; negative inputs, for which TFLite's Invoke fails, are zeros.
std::optional<CodeTable> Sqrt(const Job& job) {
  return TableOfSteps(job, [&](int32_t x) {
    const float steps =
        std::sqrt(job.in.scale * static_cast<float>(std::max(x, 0))) /
        job.out.scale;
    return ToInt(IsWide(job.out) ? std::min(steps, 32767.0f) : steps);
  });
}

int16_t ShiftedLeft(int16_t x, int shift) {
  return Saturated(
      Saturated32(int64_t{x} * (int64_t{1} << std::min(shift, 31))));
}

// Past 15 the masks of TFLite's 16-bit arithmetic have no bits left, and 0 and
// all above it give 1.
int32_t ShiftedRight(int16_t x, int shift) {
  if (shift > 15) return x < 0 ? -1 : 1;
  return DivideByPower(x, shift, Ties::kAwayFromZero);
}

// The upper half of a multiplier, rounded.
int16_t AsInt16(int32_t multiplier) {
  constexpr int32_t kHalf = 1 << 15;
  if (multiplier >= kMax32 - kHalf) return kMax16;
  return static_cast<int16_t>((multiplier + kHalf) >> 16);
}

// x / 6 + 1 / 2 between 0 and 1, with 15 bits behind the point, of a value with
// seven bits more than a code.
int16_t HardSigmoid(int16_t fine, const Multiplier& m) {
  int16_t value = fine;
  // Shifts in the last bit after the multiplication, so that it saturates only
  // if the result does.
  if (m.shift > 0) value = ShiftedLeft(value, m.shift - 1);
  value = Product16(value, AsInt16(m.value));
  if (m.shift > 0) value = ShiftedLeft(value, 1);
  if (m.shift < 0) {
    value = static_cast<int16_t>(ShiftedRight(value, -m.shift));
  }
  return static_cast<int16_t>((value + (1 << 15)) >> 1);
}

// In 16-bit fixed point. The kernel refuses an output's scale that is small.
std::optional<CodeTable> HardSwish(const Job& job) {
  // Seven bits more than a code fill 16 bits.
  const float fine_scale = (1.0f / 128.0f) * job.in.scale;
  const Multiplier to_output = MultiplierOf(double{fine_scale / job.out.scale});
  const Multiplier to_sigmoid =
      MultiplierOf(double{fine_scale / (3.0f / 32768.0f)});
  if (to_output.shift > 0 || to_sigmoid.shift > 30) return std::nullopt;
  return TableOfSteps(job, [&](int32_t x) {
    const auto fine = static_cast<int16_t>(x * 128);
    const int32_t scaled = Product16(fine, AsInt16(to_output.value));
    const int16_t product =
        Saturated(HardSigmoid(fine, to_sigmoid) * scaled / (1 << 15));
    return ShiftedRight(product, -to_output.shift);
  });
}

// A multiplier close to 1 / sqrt(x), by five steps of Newton's iteration with
// three integer bits; its shift is at most 0. For x <= 1: just below 1.
Multiplier InverseRoot(int32_t x) {
  // Numbers with three bits before the point are integers times 2^-28; the
  // product of two has six, that of three nine.
  constexpr int32_t kOne = 1 << 28, kThreeHalves = kOne + kOne / 2;
  // sqrt(2) / 2 with no bit before the point.
  constexpr int32_t kHalfRootOfTwo = 1518500250;
  // Fewer bits before the point.
  const auto drop = [](int32_t y, int bits) {
    return Saturated32(int64_t{y} * (int64_t{1} << bits));
  };
  if (x <= 1) return {kMax32, 0};
  int right = 11;
  while (x >= 1 << 29) {
    x /= 4;
    ++right;
  }
  // By an even number of bits, so that the root shifts by half of it.
  const int pairs = (absl::countl_zero(static_cast<uint32_t>(x)) - 1) / 2 - 1;
  right -= pairs;
  const int32_t value = (x << (2 * pairs)) >> 1;
  const int32_t half_value = (value + 1) >> 1;
  int32_t root = kOne;
  for (int i = 0; i < 5; ++i) {
    const int32_t cube = drop(HighProduct(HighProduct(root, root), root), 6);
    root = drop(HighProduct(kThreeHalves, root) - HighProduct(half_value, cube),
                3);
  }
  root = HighProduct(root, kHalfRootOfTwo);
  if (right < 0) return {root * (1 << -right), 0};
  return {root, -right};
}

// The maximum for inputs of 0 and below; TFLite's Invoke fails for negative
// ones.
std::optional<CodeTable> InverseRoots(const Job& job) {
  constexpr int kMoreBits = 20;
  const Multiplier m =
      MultiplierOf(1. / double{std::sqrt(job.in.scale) * job.out.scale});
  if (m.shift > 30) return std::nullopt;
  return TableOfSteps(job, [&](int32_t x) -> int64_t {
    if (x <= 0) return int64_t{job.out.range.high} - job.out.zero_point;
    Multiplier inverse = InverseRoot(x);
    inverse.shift += kMoreBits;
    const int32_t root = Multiply(1, inverse, Ties::kAwayFromZero);
    return Multiply(root, {m.value, m.shift - kMoreBits}, Ties::kAwayFromZero);
  });
}

// --- LOGISTIC and TANH of int16 ----------------------------------------------

// A real number with `fraction_bits` fractional bits.
int16_t Fixed(double real, int fraction_bits) {
  return Saturated(std::llround(std::ldexp(real, fraction_bits)));
}

// e^a for -1/4 <= a < 0, both with 15 bits behind the point: four terms of the
// series around -1/8.
int16_t ExpOfQuarter(int16_t a) {
  const auto halved = [](int32_t y, int shift) {
    return DivideByPower(static_cast<int16_t>(y), shift, Ties::kAwayFromZero);
  };
  const auto x = static_cast<int16_t>(a + (1 << 12));
  const int16_t x2 = Product16(x, x);
  const int16_t x3 = Product16(x2, x);
  const int16_t x4 = Product16(x2, x2);
  const int16_t cubes =
      Product16(static_cast<int16_t>(halved(x4, 2) + x3), Fixed(1.0 / 3, 15));
  const int32_t rest = halved(cubes + x2, 1);
  const int16_t middle = Fixed(std::exp(-0.125), 15);
  return Saturated(int32_t{middle} +
                   Product16(middle, static_cast<int16_t>(x + rest)));
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
    result = Product16(result, Fixed(std::exp(-std::ldexp(1.0, power)), 15));
  }
  return a == 0 ? static_cast<int16_t>(kMax16) : result;
}

// 2 / (1 + a) for 0 <= a < 1 (15 bits behind the point), with 13 bits behind
// it: three steps of Newton's division.
int16_t TwiceInverse(int16_t a) {
  const auto half_denominator =
      static_cast<int16_t>((int32_t{a} + kMax16 + 1) >> 1);
  const int16_t min = Fixed(48.0 / 17, 13), slope = Fixed(-32.0 / 17, 13);
  auto x = static_cast<int16_t>(min + Product16(half_denominator, slope));
  for (int i = 0; i < 3; ++i) {
    const auto error =
        static_cast<int16_t>((1 << 13) - Product16(half_denominator, x));
    x = static_cast<int16_t>(x + Saturated(int32_t{Product16(x, error)} * 4));
  }
  return x;
}

int16_t LogisticInFixedPoint(int32_t code) {
  if (code == 0) return 1 << 14;
  // Half of it, with 15 bits behind the point.
  const auto below = static_cast<int16_t>(-std::abs(code));
  const int16_t positive =
      Saturated(int32_t{TwiceInverse(ExpOfNegative(below, 3))} * 2);
  return code > 0 ? positive : static_cast<int16_t>(kMax16 - positive);
}

int16_t TanhInFixedPoint(int32_t code) {
  if (code == 0) return 0;
  // Twice of it has the same bits with one more before the point.
  const auto below = static_cast<int16_t>(-std::abs(code));
  const int16_t inverse = TwiceInverse(ExpOfNegative(below, 4));
  const int16_t positive = Saturated((int32_t{inverse} - (1 << 13)) * 4);
  return code > 0 ? positive : static_cast<int16_t>(-positive);
}

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

// A table of `of`: an output from the logistic function of the code's
// magnitude, with 16 + `bits` fractional bits, and whether the code is
// negative. The function is a line between 256 points, each 2^bits 12,288ths
// from the next.
template <typename Function>
std::optional<CodeTable> Interpolated(const Job& job, int bits,
                                      uint32_t past_the_last, Function of) {
  // A 16-bit multiplier and a right shift make 12,288ths; scales of about 5.3
  // and more overflow.
  int shift = 0;
  double factor = static_cast<double>(job.in.scale) * 4096.0 * 3.0;
  if (factor >= 65535.0) return std::nullopt;
  for (; factor <= 32767.0 / 2.0 && shift <= 30; ++shift) factor *= 2;
  const auto multiplier = static_cast<int32_t>(factor);
  std::array<uint32_t, 256> points;
  for (int i = 0; i < 256; ++i) points[i] = LogisticPoint(i);
  return TableOfSteps(job, [&](int32_t code) {
    const int32_t round = shift > 0 ? 1 << (shift - 1) : 0;
    const int32_t number = (code * multiplier + round) >> shift;
    const auto magnitude = static_cast<uint32_t>(std::abs(number));
    const uint32_t at = magnitude >> bits;
    const uint32_t rest = magnitude & ((1u << bits) - 1);
    const uint32_t y =
        at >= 255 ? past_the_last
                  : (points[at] << bits) + rest * (points[at + 1] - points[at]);
    return static_cast<int16_t>(of(static_cast<int32_t>(y), number < 0));
  });
}

// Scale 2^-12 (TANH: also 2^-11) uses fixed-point functions, all others lines.
std::optional<CodeTable> LogisticOfInt16(const Job& job) {
  if (!IsScaleOfFractions(job.out.scale)) return std::nullopt;
  if (ExponentOf(job.in.scale) == -12) {
    return TableOfSteps(job, LogisticInFixedPoint);
  }
  return Interpolated(job, 9, 0x7fffu << 10, [](int32_t y, bool negative) {
    const int32_t half = 1 << 9;
    return (negative ? (1 << 25) - y + half - 1 : y + half) >> 10;
  });
}

std::optional<CodeTable> TanhOfInt16(const Job& job) {
  if (!IsScaleOfFractions(job.out.scale)) return std::nullopt;
  const std::optional<int> exponent = ExponentOf(job.in.scale);
  if (exponent == -12 || exponent == -11) {
    return TableOfSteps(job, [&](int32_t code) {
      return TanhInFixedPoint(
          exponent == -12 ? code : int32_t{Saturated(int64_t{code} * 2)});
    });
  }
  return Interpolated(job, 8, 0xffffu << 8, [](int32_t y, bool negative) {
    const int32_t one = 1 << 23, half = 1 << 7;
    return (negative ? one - y + half - 1 : y - one + half) >> 8;
  });
}

// --- The list ----------------------------------------------------------------

using Maker = std::optional<CodeTable> (*)(const Job& job);

struct TableFunction {
  absl::string_view name;
  Maker eight_bits;
  Maker sixteen_bits;
  float (*real)(float x, const AffineQuantized& out) = nullptr;
};
constexpr TableFunction kFunctions[] = {
    {"abs", &Abs, nullptr},
    {"elu", &FromFloats, nullptr, &Elu},
    {"exp", &FromFloats, &Lines, &Exp},
    {"gelu", &FromFloats, &Lines, &Gelu},
    {"gelu_tanh", &FromFloats, &Lines, &GeluByTanh},
    {"hard_swish", &HardSwish, nullptr},
    {"leaky_relu", &LeakyRelu, &LeakyRelu},
    {"log", &FromFloats, &Lines, &Log},
    {"logistic", &FromFloats, &LogisticOfInt16, &Logistic},
    {"rsqrt", &InverseRoots, &Lines, &Rsqrt},
    {"sqrt", &Sqrt, &Sqrt},
    {"tanh", &FromFloats, &TanhOfInt16, &Tanh},
};

}  // namespace

std::optional<CodeTable> TableOf(absl::string_view function,
                                 const AffineQuantized& in,
                                 const AffineQuantized& out, float alpha) {
  for (const TableFunction& f : kFunctions) {
    if (f.name != function) continue;
    const Maker make = IsWide(in) ? f.sixteen_bits : f.eight_bits;
    if (make != nullptr) return make({in, out, alpha, f.real});
  }
  return std::nullopt;
}

CodeTable TableOfFloats(const AffineQuantized& in, const AffineQuantized& out,
                        absl::FunctionRef<float(float)> function) {
  const float inverse_scale = 1 / out.scale;
  CodeTable table;
  for (int32_t code = in.range.low; code <= in.range.high; ++code) {
    const float x = in.scale * static_cast<float>(code - in.zero_point);
    const float steps = std::round(function(x) * inverse_scale);
    table.push_back(
        std::clamp(ToInt(steps + static_cast<float>(out.zero_point)),
                   out.range.low, out.range.high));
  }
  return table;
}

// --- Quotients ---------------------------------------------------------------

namespace {

// 1 / (1 + a) for 0 <= a < 1, both of 31 bits behind the point: three steps of
// Newton's division on 29 bits.
int32_t InverseOfOneAnd(int32_t a) {
  const auto half_denominator =
      static_cast<int32_t>((int64_t{a} + kMax32 + 1) / 2);
  constexpr int32_t kMin = 1515870810;     // 48 / 17
  constexpr int32_t kSlope = -1010580540;  // -32 / 17
  int32_t x = kMin + HighProduct(half_denominator, kSlope);
  for (int i = 0; i < 3; ++i) {
    const int32_t error = (1 << 29) - HighProduct(half_denominator, x);
    x += Saturated32(int64_t{HighProduct(x, error)} * 4);
  }
  return Saturated32(int64_t{x} * 2);
}

// x / y for y > 0, times `m`; nullopt for a shift by a negative number.
std::optional<int32_t> Quotient(int32_t x, int32_t y, const Multiplier& m) {
  const int zeros = absl::countl_zero(static_cast<uint32_t>(y));
  const auto past_one = static_cast<int32_t>(
      (uint64_t{static_cast<uint32_t>(y)} << zeros) - (uint64_t{1} << 31));
  // How far x can be shifted to the left.
  const auto magnitude = static_cast<uint32_t>(std::abs(x));
  const int headroom = x < 0 ? absl::countl_zero(2 * magnitude - 1)
                             : absl::countl_zero(magnitude) - 1;
  const int right = 31 - zeros + headroom - m.shift;
  if (right < 0) return std::nullopt;
  const int32_t quotient = HighProduct(
      HighProduct(static_cast<int32_t>(int64_t{x} * (int64_t{1} << headroom)),
                  InverseOfOneAnd(past_one)),
      m.value);
  // Quotients near zero are shifted by 32 and more, which overflows in TFLite's
  // kernel: its mask is then all ones, and x86 shifts modulo 32.
  if (right > 31) return (quotient >> (right & 31)) + (quotient >= 0 ? 1 : 0);
  return DivideByPower(quotient, right, Ties::kAwayFromZero);
}

}  // namespace

std::optional<CodeTable> QuotientTable(const AffineQuantized& a,
                                       const AffineQuantized& b,
                                       const AffineQuantized& out) {
  const float of_scales = b.scale * out.scale;
  const Multiplier m = MultiplierOf(double{a.scale / of_scales});
  CodeTable table;
  table.reserve(65536);
  for (int i = 0; i < 256; ++i) {
    const int32_t x = a.range.low + i - a.zero_point;
    for (int j = 0; j < 256; ++j) {
      const int32_t y = b.range.low + j - b.zero_point;
      if (y == 0) {
        table.push_back(x < 0 ? out.range.low : out.range.high);
        continue;
      }
      const auto code = Quotient(y < 0 ? -x : x, std::abs(y), m);
      if (!code) return std::nullopt;
      table.push_back(static_cast<int32_t>(std::clamp<int64_t>(
          int64_t{*code} + out.zero_point, out.range.low, out.range.high)));
    }
  }
  return table;
}

// --- Scales and SOFTMAX of int16 ---------------------------------------------

std::optional<int> ExponentOf(float scale) {
  const float exponent = std::log(scale) * (1.0f / std::log(2.0f));
  const float rounded = std::round(exponent);
  if (!(std::abs(exponent - rounded) < 1e-3f)) return std::nullopt;
  return static_cast<int>(rounded);
}

bool IsScaleOfFractions(float scale) { return ExponentOf(scale) == -15; }

std::optional<SoftmaxOfInt16> SoftmaxOf(float in_scale, float beta) {
  SoftmaxOfInt16 softmax;
  // TFLite multiplies in float32.
  const double scale = double{in_scale * beta} / (10.0 / 65535.0);
  if (!(scale >= 0)) return std::nullopt;
  softmax.place = MultiplierOf(scale);
  // Differences are up to 65,535.
  if (softmax.place.shift > 14) return std::nullopt;
  softmax.exps =
      PointsOf(-10.0, 0.0, 32768.0, [](double x) { return std::exp(x); });
  softmax.inverses =
      PointsOf(0.0, 1.0, 32768.0, [](double x) { return 1.0 / (1.0 + x); });
  return softmax;
}

}  // namespace gles_delegate::quant
