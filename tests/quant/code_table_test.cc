// labels: unit quant sanitize
// quant/code_table.h against what TFLite's kernels make of all 256 quantized
// values, and quant/fixed_point.h's functions of two quantized values against
// those of all pairs: no code may differ.
#include "quant/code_table.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "quant/fixed_point.h"
#include "tests/testing/quantized_on_cpu.h"
#include "tools/common/model_builder.h"
#include "tools/common/tflite_host.h"

namespace gles_delegate::quant {
namespace {

using ::gles_delegate::testing::QuantizedOnCpu;

using Op = schema::BuiltinOperator;

TEST(InverseRootTest, IsTheRoot) {
  for (int32_t x : {2, 3, 7, 64, 255, 1000, 65025, 1 << 24, INT32_MAX}) {
    const Multiplier m = InverseRoot(x);
    EXPECT_LE(m.shift, 0) << x;
    const double root = std::ldexp(static_cast<double>(m.value), m.shift - 31);
    // The iteration starts at 1 and is farthest from its root, 2, where x is
    // 1/4 after the shift: a relative error e becomes -(3 + e) / 2 * e^2, from
    // -1/2 in five steps -1.2353e-6. Each step rounds to some 2^-28 besides.
    EXPECT_NEAR(root * std::sqrt(static_cast<double>(x)), 1, 1.25e-6) << x;
  }
  EXPECT_EQ(InverseRoot(1).value, INT32_MAX);
}

TEST(TableOfTest, RoundsOnceAndClamps) {
  const AffineQuantized in = {0.5f, 0, {-128, 127}};
  const CodeTable table =
      TableOf(in, {0.5f, 10, {-128, 127}}, [](float x) { return 3 * x; });
  EXPECT_EQ(table[128], 10);
  EXPECT_EQ(table[129], 13);
  EXPECT_EQ(table[127], 7);
  EXPECT_EQ(table[0], -128);
  EXPECT_EQ(table[255], 127);
}

TEST(HardSwishTableTest, WhatTheKernelRefusesHasNone) {
  EXPECT_TRUE(HardSwishTable({1, 0, {}}, {1.0f / 64, 0, {}}).has_value());
  EXPECT_FALSE(HardSwishTable({1, 0, {}}, {1.0f / 300, 0, {}}).has_value());
}

// --- Against TFLite ----------------------------------------------------------

template <typename Code>
AffineQuantized Draw(std::mt19937& random, float low, float high) {
  constexpr int kLow = std::numeric_limits<Code>::min();
  constexpr int kHigh = std::numeric_limits<Code>::max();
  std::uniform_real_distribution<float> power(low, high);
  float scale = std::exp2(power(random));
  if (random() % 2 == 0) scale = std::exp2(std::round(std::log2(scale)));
  const int zeros[] = {kLow, kHigh, kLow + static_cast<int>(random() % 256)};
  return {scale, zeros[random() % 3], {kLow, kHigh}};
}

template <typename Code>
int AddTensor(ModelBuilder* b, const char* name, int size,
              const AffineQuantized& quantized, bool input) {
  const auto q =
      ModelQuantization::PerTensor(quantized.scale, quantized.zero_point);
  constexpr auto kType = TensorTypeOf<Code>::kValue;
  return input ? b->AddInput(name, {1, size}, kType, q)
               : b->AddTensor(name, {1, size}, kType, q);
}

// Adds the op that reads x and writes y.
using AddNode = std::function<void(ModelBuilder*, int x, int y)>;
using MakeTable = std::function<std::optional<CodeTable>(
    const AffineQuantized&, const AffineQuantized&)>;

template <typename Code>
void ExpectTable(const AffineQuantized& in, const AffineQuantized& out,
                 const AddNode& add, const MakeTable& make, int min = 0) {
  std::vector<Code> quantized(256);
  for (int i = 0; i < 256; ++i) {
    quantized[i] = static_cast<Code>(in.range.low + std::max(i, min));
  }
  ModelBuilder b;
  const int x = AddTensor<Code>(&b, "x", 256, in, true);
  const int y = AddTensor<Code>(&b, "y", 256, out, false);
  add(&b, x, y);
  b.SetOutputs({y});
  const std::vector<Code> want = QuantizedOnCpu<Code>(b, {quantized});
  ASSERT_EQ(want.size(), 256u);
  const auto table = make(in, out);
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
void ExpectTables(float low, float high, const AddNode& add,
                  const MakeTable& make) {
  std::mt19937 random(11);
  for (int i = 0; i < kDraws; ++i) {
    const AffineQuantized in = Draw<Code>(random, -8, 2);
    AffineQuantized out = Draw<Code>(random, low, high);
    out.scale *= in.scale;
    ExpectTable<Code>(in, out, add, make);
  }
}

TEST(TableAgainstTfliteTest, LeakyRelu) {
  for (float alpha : {0.1f, 0.3f, 1.5f, -0.7f, 0.0f}) {
    const AddNode add = [alpha](ModelBuilder* b, int x, int y) {
      schema::LeakyReluOptionsT options;
      options.alpha = alpha;
      b->AddOp(Op::LEAKY_RELU, 2, {x}, {y}, options);
    };
    const MakeTable make = [alpha](const auto& in, const auto& out) {
      return LeakyReluTable(in, out, alpha);
    };
    ExpectTables<int8_t>(-8, 8, add, make);
    ExpectTables<uint8_t>(-8, 8, add, make);
  }
}

TEST(TableAgainstTfliteTest, HardSwish) {
  const AddNode add = [](ModelBuilder* b, int x, int y) {
    b->AddOp(Op::HARD_SWISH, 1, {x}, {y});
  };
  ExpectTables<int8_t>(-6, 12, add, &HardSwishTable);
  ExpectTables<uint8_t>(-6, 12, add, &HardSwishTable);
}

TEST(TableAgainstTfliteTest, Abs) {
  const AddNode add = [](ModelBuilder* b, int x, int y) {
    b->AddOp(Op::ABS, 2, {x}, {y});
  };
  ExpectTables<int8_t>(-8, 8, add, &AbsTable);
}

// The CPU fails on what is negative.
TEST(TableAgainstTfliteTest, Rsqrt) {
  std::mt19937 random(12);
  for (int i = 0; i < kDraws; ++i) {
    const AffineQuantized in = Draw<int8_t>(random, -8, 2);
    const AffineQuantized out = Draw<int8_t>(random, -8, 2);
    ExpectTable<int8_t>(
        in, out,
        [](ModelBuilder* b, int x, int y) { b->AddOp(Op::RSQRT, 2, {x}, {y}); },
        &RsqrtTable, in.zero_point - in.range.low);
  }
}

// --- Of two quantized values
// ------------------------------------------------------------

// Every code with every code.
std::vector<int8_t> Pairs(bool first) {
  std::vector<int8_t> quantized(65536);
  for (int i = 0; i < 65536; ++i) {
    quantized[i] = static_cast<int8_t>((first ? i % 256 : i / 256) - 128);
  }
  return quantized;
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
    ModelBuilder builder;
    const int in = AddTensor<int8_t>(&builder, "a", 65536, a, true);
    const int other = AddTensor<int8_t>(&builder, "b", 65536, b, true);
    const int out = AddTensor<int8_t>(&builder, "y", 65536, y, false);
    builder.AddOp(Op::SQUARED_DIFFERENCE, 2, {in, other}, {out});
    builder.SetOutputs({out});
    const std::vector<int8_t> want =
        QuantizedOnCpu<int8_t>(builder, {first, second});
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
