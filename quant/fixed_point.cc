#include "quant/fixed_point.h"

#include <algorithm>
#include <cmath>
#include <limits>

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

std::vector<uint8_t> UnpackInts(int bits, absl::Span<const uint8_t> packed,
                                size_t count) {
  return bits == 4 ? Unpack<4>(packed, count) : Unpack<2>(packed, count);
}

// --- TFLite's integer kernels ------------------------------------------------

Multiplier MultiplierOf(double real) {
  if (real == 0) return {};
  constexpr double kTooLarge = 1 << 30;
  if (!(real < kTooLarge)) return {std::numeric_limits<int32_t>::max(), 31};
  int shift = 0;
  const double fraction = std::frexp(real, &shift);
  int64_t value =
      std::llround(fraction * static_cast<double>(int64_t{1} << 31));
  if (value == int64_t{1} << 31) {
    value /= 2;
    ++shift;
  }
  if (shift < -31) return {};
  return {static_cast<int32_t>(value), shift};
}

double ConvolutionScale(float input, float weights, float output,
                        bool by_channel) {
  const float product = input * weights;
  return (by_channel ? double{input} * double{weights} : double{product}) /
         double{output};
}

double ProductScale(float a, float b, float output) {
  return double{a * b / output};
}

double QuantizeScale(float input, float output) {
  return double{input} / double{output};
}

double ReluScale(float input, float output) { return double{input / output}; }

int32_t HighProduct(int32_t a, int32_t b) {
  const int64_t product = int64_t{a} * b;
  return static_cast<int32_t>((product + (int64_t{1} << 30)) >> 31);
}

int32_t DivideByPower(int32_t x, int exponent, Ties ties) {
  if (exponent == 0) return x;
  // One less below zero turns the tie.
  const int64_t half = (int64_t{1} << (exponent - 1)) -
                       (x < 0 && ties == Ties::kAwayFromZero ? 1 : 0);
  return static_cast<int32_t>((x + half) >> exponent);
}

int32_t Multiply(int32_t x, Multiplier m, Ties ties) {
  // Past 32 bits it wraps around, as TFLite's does on every machine of today.
  const auto shifted =
      static_cast<int32_t>(static_cast<uint32_t>(x) << std::max(m.shift, 0));
  return DivideByPower(HighProduct(shifted, m.value), std::max(-m.shift, 0),
                       ties);
}

Int16Multiplier Int16MultiplierOf(double real) {
  const Multiplier m = MultiplierOf(real);
  constexpr int32_t kLast = 0x7fff0000;  // what would round up to 2^15
  return {m.value < kLast ? (m.value + (1 << 15)) >> 16 : 0x7fff, 15 - m.shift};
}

Int16Multiplier ProductStepOf(float input, float output, int count) {
  const double root =
      std::pow(double{output}, 1.0 / static_cast<double>(count));
  return Int16MultiplierOf(double{input} / root);
}

Int16Multiplier Int16MultiplierOf31Bits(double real) {
  const Multiplier m = MultiplierOf(real);
  return {m.value, 31 - m.shift};
}

int32_t DivideRounded(int32_t sum, int32_t count) {
  return (sum > 0 ? sum + count / 2 : sum - count / 2) / count;
}

AddMultipliers AddMultipliersOf(float a_scale, float b_scale, float sum_scale,
                                int more_bits) {
  const double twice = 2 * std::max(double{a_scale}, double{b_scale});
  return {MultiplierOf(a_scale / twice), MultiplierOf(b_scale / twice),
          MultiplierOf(twice / ((1 << more_bits) * double{sum_scale}))};
}

AddMultipliers SquaredDifferenceMultipliersOf(float a_scale, float b_scale,
                                              float output_scale) {
  const double twice = 2 * std::max(double{a_scale}, double{b_scale});
  constexpr int kUnit = 1 << (2 * AddMultipliers::kMoreBitsOfSquares);
  return {MultiplierOf(a_scale / twice), MultiplierOf(b_scale / twice),
          MultiplierOf(twice * twice / double{kUnit * output_scale})};
}

}  // namespace gles_delegate::quant
