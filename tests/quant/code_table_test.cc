// labels: unit quant sanitize
// quant/code_table.h against what TFLite's kernels make of all 256 quantized
// values, and TFLite's functions of two quantized values, as they are written
// here, against those of all pairs: no code may differ.
#include "quant/code_table.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "quant/fixed_point.h"
#include "tests/testing/quantized_on_cpu.h"

namespace gles_delegate::quant {
namespace {

using ::gles_delegate::testing::QuantizedOnCpu;

TEST(TableOfFloatsTest, RoundsOnceAndClamps) {
  const AffineQuantized in = {0.5f, 0, {-128, 127}};
  const CodeTable table =
      TableOfFloats(in, {0.5f, 10, {-128, 127}}, [](float x) { return 3 * x; });
  EXPECT_EQ(table[128], 10);
  EXPECT_EQ(table[129], 13);
  EXPECT_EQ(table[127], 7);
  EXPECT_EQ(table[0], -128);
  EXPECT_EQ(table[255], 127);
}

TEST(TableOfTest, WhatTheKernelRefusesHasNone) {
  const AffineQuantized in = {1, 0, {-128, 127}};
  AffineQuantized out = {1.0f / 64, 0, {-128, 127}};
  EXPECT_TRUE(TableOf("hard_swish", in, out).has_value());
  out.scale = 1.0f / 300;
  EXPECT_FALSE(TableOf("hard_swish", in, out).has_value());
}

// --- Against TFLite ----------------------------------------------------------

template <typename Code>
AffineQuantized Draw(std::mt19937& random, float low, float high) {
  // NOLINTNEXTLINE(bugprone-signed-char-misuse)
  constexpr int kLow = std::numeric_limits<Code>::min();
  constexpr int kHigh = std::numeric_limits<Code>::max();
  std::uniform_real_distribution<float> power(low, high);
  float scale = std::exp2(power(random));
  if (random() % 2 == 0) scale = std::exp2(std::round(std::log2(scale)));
  const int zeros[] = {kLow, kHigh, kLow + static_cast<int>(random() % 256)};
  return {scale, zeros[random() % 3], {kLow, kHigh}};
}

template <typename Code>
std::string As(const AffineQuantized& q) {
  return testing::QuantizedAs<Code>(q.scale, q.zero_point);
}

template <typename Code>
void ExpectTable(const AffineQuantized& in, const AffineQuantized& out,
                 const std::string& op, const char* function, int min = 0) {
  std::vector<Code> quantized(256);
  for (int i = 0; i < 256; ++i) {
    quantized[i] = static_cast<Code>(in.range.low + std::max(i, min));
  }
  const std::vector<Code> want = QuantizedOnCpu<Code>(
      absl::StrReplaceAll(op, {{"{x}", As<Code>(in) + "[1,256]"},
                               {"{y}", As<Code>(out) + "[1,256]"}}),
      {quantized});
  ASSERT_EQ(want.size(), 256u);
  const auto table = TableOf(function, in, out);
  ASSERT_TRUE(table.has_value());
  for (int i = min; i < 256; ++i) {
    ASSERT_EQ((*table)[i], want[i])
        << "code " << in.range.low + i << ", scales " << in.scale << " and "
        << out.scale << ", zero points " << in.zero_point << " and "
        << out.zero_point;
  }
}

constexpr int kDraws = 200;

template <typename Code>
void ExpectTables(float low, float high, const std::string& op,
                  const char* function) {
  std::mt19937 random(11);
  for (int i = 0; i < kDraws; ++i) {
    const AffineQuantized in = Draw<Code>(random, -8, 2);
    AffineQuantized out = Draw<Code>(random, low, high);
    out.scale *= in.scale;
    ExpectTable<Code>(in, out, op, function);
  }
}

TEST(TableAgainstTfliteTest, HardSwish) {
  const char op[] = "HARD_SWISH x={x} -> {y}";
  ExpectTables<int8_t>(-6, 12, op, "hard_swish");
  ExpectTables<uint8_t>(-6, 12, op, "hard_swish");
}

TEST(TableAgainstTfliteTest, Abs) {
  ExpectTables<int8_t>(-8, 8, "ABS@2 x={x} -> {y}", "abs");
}

// The CPU fails on what is negative.
TEST(TableAgainstTfliteTest, Rsqrt) {
  std::mt19937 random(12);
  for (int i = 0; i < kDraws; ++i) {
    const AffineQuantized in = Draw<int8_t>(random, -8, 2);
    const AffineQuantized out = Draw<int8_t>(random, -8, 2);
    ExpectTable<int8_t>(in, out, "RSQRT@2 x={x} -> {y}", "rsqrt",
                        in.zero_point - in.range.low);
  }
}

// --- Of two quantized values -------------------------------------------------

// Every code with every code.
std::vector<int8_t> Pairs(bool first) {
  std::vector<int8_t> quantized(65536);
  for (int i = 0; i < 65536; ++i) {
    quantized[i] = static_cast<int8_t>((first ? i % 256 : i / 256) - 128);
  }
  return quantized;
}

int32_t SquaredDifference(int32_t a, int32_t b, const AddMultipliers& m) {
  constexpr int32_t kUnit = 1 << AddMultipliers::kMoreBitsOfSquares;
  const int32_t difference = Multiply(a * kUnit, m.a, Ties::kAwayFromZero) -
                             Multiply(b * kUnit, m.b, Ties::kAwayFromZero);
  return Multiply(difference * difference, m.sum, Ties::kAwayFromZero);
}

TEST(PairsAgainstTfliteTest, SquaredDifference) {
  std::mt19937 random(13);
  const std::vector<int8_t> first = Pairs(true), second = Pairs(false);
  for (int draw = 0; draw < 20; ++draw) {
    const AffineQuantized a = Draw<int8_t>(random, -6, 1);
    AffineQuantized b = Draw<int8_t>(random, -8, 8);
    b.scale *= a.scale;
    AffineQuantized y = Draw<int8_t>(random, -11, 10);
    y.scale *= std::max(a.scale, b.scale) * std::max(a.scale, b.scale);
    const std::vector<int8_t> want = QuantizedOnCpu<int8_t>(
        absl::StrCat("SQUARED_DIFFERENCE a=", As<int8_t>(a),
                     "[1,65536] b=", As<int8_t>(b), "[1,65536] -> ",
                     As<int8_t>(y), "[1,65536]"),
        {first, second});
    ASSERT_EQ(want.size(), first.size());
    const AddMultipliers m =
        SquaredDifferenceMultipliersOf(a.scale, b.scale, y.scale);
    for (size_t i = 0; i < want.size(); ++i) {
      const int64_t code =
          int64_t{SquaredDifference(first[i] - a.zero_point,
                                    second[i] - b.zero_point, m)} +
          y.zero_point;
      ASSERT_EQ(std::clamp<int64_t>(code, -128, 127), want[i])
          << "draw " << draw;
    }
  }
}

}  // namespace
}  // namespace gles_delegate::quant
