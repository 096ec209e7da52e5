// labels: unit quant sanitize only_oldest_tflite
// quant/fixed_point.h against what TFLite's own integer kernels make of random
// quantized values: no code may differ.
#include "quant/fixed_point.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "quant/cpu_kernels.h"
#include "tests/testing/quantized_on_cpu.h"
#include "tests/testing/uniform.h"
#include "tools/common/model_builder.h"

namespace gles_delegate::quant {
namespace {

using ::gles_delegate::testing::QuantizedOnCpu;
using ::gles_delegate::testing::RandomQuantized;

TEST(MultiplierOfTest, IsNormalised) {
  EXPECT_EQ(MultiplierOf(0).value, 0);
  EXPECT_EQ(MultiplierOf(0.5).value, 1 << 30);
  EXPECT_EQ(MultiplierOf(0.5).shift, 0);
  EXPECT_EQ(MultiplierOf(1).shift, 1);
  // Rounds up to a power of two.
  EXPECT_EQ(MultiplierOf(1 - 1e-12).value, 1 << 30);
  EXPECT_EQ(MultiplierOf(1 - 1e-12).shift, 1);
  EXPECT_EQ(MultiplierOf(1e-12).value, 0);
  EXPECT_EQ(MultiplierOf((1 << 30) - 1.0).shift, 30);
  EXPECT_EQ(MultiplierOf(1 << 30).shift, 31);
  EXPECT_EQ(MultiplierOf(INFINITY).shift, 31);
  EXPECT_EQ(MultiplierOf(NAN).shift, 31);
}

TEST(MultiplyTest, TiesGoAsAsked) {
  const Multiplier quarter = MultiplierOf(0.25);
  EXPECT_EQ(Multiply(10, quarter, Ties::kUp), 3);
  EXPECT_EQ(Multiply(-10, quarter, Ties::kUp), -2);
  EXPECT_EQ(Multiply(10, quarter, Ties::kAwayFromZero), 3);
  EXPECT_EQ(Multiply(-10, quarter, Ties::kAwayFromZero), -3);
}

TEST(MultiplyTest, RoundsTwice) {
  // 15 / 32 is 0.5 after the multiplication, and 1 after the shift.
  EXPECT_EQ(Multiply(15, MultiplierOf(1.0 / 32), Ties::kUp), 1);
  EXPECT_EQ(Multiply(-15, MultiplierOf(1.0 / 32), Ties::kUp), 0);
  EXPECT_EQ(Multiply(-17, MultiplierOf(1.0 / 32), Ties::kAwayFromZero), -1);
}

TEST(MultiplyTest, MultipliersAboveOneShiftFirst) {
  EXPECT_EQ(Multiply(3, MultiplierOf(100.0), Ties::kUp), 300);
  EXPECT_EQ(Multiply(-3, MultiplierOf(100.0), Ties::kAwayFromZero), -300);
}

TEST(MultiplyAsFloatTest, RoundsOnceWithTiesToEven) {
  EXPECT_EQ(MultiplyAsFloat(15, 1.0f / 32), 0);  // Multiply() gives 1
  EXPECT_EQ(MultiplyAsFloat(5, 0.5f), 2);
  EXPECT_EQ(MultiplyAsFloat(7, 0.5f), 4);
  EXPECT_EQ(MultiplyAsFloat(-5, 0.5f), -2);
  EXPECT_EQ(MultiplyAsFloat(-7, 0.5f), -4);
  EXPECT_EQ(MultiplyAsFloat(1 << 30, 1e9f), 2147483520);
  EXPECT_EQ(MultiplyAsFloat(-(1 << 30), 1e9f), -2147483520);
}

TEST(FloatSumOfTest, KeepsTwentyBitsOfTheLargerScale) {
  const auto sum = FloatSumOf(0.1f, 0.05f, 0.1f, /*subtract=*/true);
  ASSERT_TRUE(sum.has_value());
  EXPECT_EQ(sum->shift, 20);
  EXPECT_EQ(sum->a, 1 << 20);
  EXPECT_EQ(sum->b, -(1 << 19));
  EXPECT_FALSE(FloatSumOf(0.1f, 1e-6f, 0.1f, false).has_value());
  EXPECT_FALSE(FloatSumOf(100, 1, 0.1f, false).has_value());
}

// For 16-bit tensors: as Int16Multiplier says.
int32_t MultiplyOnce(int64_t sum, const Int16Multiplier& m) {
  const int64_t half = int64_t{1} << (m.right - 1);
  return static_cast<int32_t>((sum * m.value + half) >> m.right);
}

TEST(MultiplyOnceTest, KeepsSixteenBitsOfTheMultiplierOrAll) {
  const Int16Multiplier third = Int16MultiplierOf(1.0 / 3);
  EXPECT_EQ(third.value, 21845);  // 2/3 of 2^15
  EXPECT_EQ(third.right, 16);
  EXPECT_EQ(Int16MultiplierOf(1 - 1e-9).value, 0x7fff);
  EXPECT_EQ(Int16MultiplierOf31Bits(0.25).right, 32);
  // Once, ties up.
  EXPECT_EQ(MultiplyOnce(15, Int16MultiplierOf31Bits(1.0 / 32)), 0);
  EXPECT_EQ(MultiplyOnce(16, Int16MultiplierOf31Bits(1.0 / 32)), 1);
  EXPECT_EQ(MultiplyOnce(-16, Int16MultiplierOf31Bits(1.0 / 32)), 0);
  EXPECT_EQ(MultiplyOnce(int64_t{1} << 40, Int16MultiplierOf(1.0 / 1048576)),
            1 << 20);
}

TEST(DivideRoundedTest, TiesGoAwayFromZero) {
  EXPECT_EQ(DivideRounded(5, 2), 3);
  EXPECT_EQ(DivideRounded(-5, 2), -3);
  EXPECT_EQ(DivideRounded(7, 3), 2);
  EXPECT_EQ(DivideRounded(-8, 3), -3);
}

// --- Against TFLite ---------------------------------------------------------

template <typename Code>
int32_t Clamped(int64_t code) {
  return static_cast<int32_t>(
      std::clamp<int64_t>(code, std::numeric_limits<Code>::min(),
                          std::numeric_limits<Code>::max()));
}

// Products of one code and one weight, with large biases, so that what is
// scaled takes many values; `outputs` channels, each with its own bias and, for
// int8, its own scale.
struct Products {
  static constexpr int kPixels = 2048;
  static constexpr int kOutputs = 48;
  float in_scale, out_scale;
  int in_zero, out_zero, weight_zero;
  std::vector<float> weight_scales;  // one, or one an output
  std::vector<int32_t> bias;
  float weight_scale(int o) const {
    return weight_scales.size() == 1 ? weight_scales[0] : weight_scales[o];
  }
};

template <typename Code>
Products Draw(std::mt19937& random, bool per_channel) {
  std::uniform_real_distribution<float> fraction(0.5f, 1.0f);
  Products p;
  const int low = std::is_signed<Code>::value ? -128 : 0;
  p.in_scale = fraction(random) * 0.02f;
  p.in_zero = low + static_cast<int>(random() % 256);
  p.out_zero = low + static_cast<int>(random() % 256);
  p.weight_zero =
      std::is_signed<Code>::value ? 0 : static_cast<int>(1 + random() % 255);
  for (int i = 0; i < (per_channel ? Products::kOutputs : 1); ++i) {
    p.weight_scales.push_back(fraction(random) * 0.01f);
  }
  // Sums of up to 2^20 fall into about 200 codes.
  p.out_scale = p.in_scale * 0.01f * 10000;
  for (int i = 0; i < Products::kOutputs; ++i) {
    p.bias.push_back(static_cast<int32_t>(random() >> 11) - (1 << 20));
  }
  return p;
}

template <typename Code>
struct Sums {
  ModelBuilder builder;
  std::vector<Code> input;
  std::vector<Code> weights;
};

// Counts the quantized values that differ from `want(pixel, output)`.
template <typename Code, typename Want>
int Differences(const std::vector<Code>& got, Want want) {
  int differences = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    const int o = static_cast<int>(i % Products::kOutputs);
    const int pixel = static_cast<int>(i / Products::kOutputs);
    if (got[i] != want(pixel, o)) ++differences;
  }
  return differences;
}

enum class Op { kConv, kDepthwise, kFullyConnected };

template <typename Code>
Sums<Code> Build(Op op, const Products& p, std::mt19937& random) {
  Sums<Code> s;
  constexpr int kPixels = Products::kPixels, kOutputs = Products::kOutputs;
  const bool fully = op == Op::kFullyConnected;
  const int inputs = op == Op::kDepthwise ? kOutputs : 1;
  s.input = RandomQuantized<Code>(kPixels * inputs, random);
  s.weights = RandomQuantized<Code>(kOutputs, random);
  const auto tensor = [](float scale, int zero) {
    return testing::QuantizedAs<Code>(scale, zero);
  };
  const char* text =
      fully ? "FULLY_CONNECTED@4 x={x}[{p},1] w=const:{w}[{o},1]({v}) "
              "b=const:i32[{o}]({b}) -> {y}[{p},{o}]"
      : op == Op::kConv
          ? "CONV_2D@3 x={x}[1,{p},1,1] w=const:{w}[{o},1,1,1]({v}) "
            "b=const:i32[{o}]({b}) -> {y}[1,{p},1,{o}]"
          : "DEPTHWISE_CONV_2D@3 x={x}[1,{p},1,{o}] w=const:{w}[1,1,1,{o}]({v})"
            " b=const:i32[{o}]({b}) depth_multiplier=1 -> {y}[1,{p},1,{o}]";
  s.builder = cases::BuilderOf(absl::StrReplaceAll(
      text,
      {{"{p}", absl::StrCat(kPixels)},
       {"{o}", absl::StrCat(kOutputs)},
       {"{x}", tensor(p.in_scale, p.in_zero)},
       {"{w}", tensor(p.weight_scales[0], p.weight_zero)},
       {"{y}", tensor(p.out_scale, p.out_zero)},
       {"{v}", absl::StrJoin(
                   std::vector<int>(s.weights.begin(), s.weights.end()), ",")},
       {"{b}", absl::StrJoin(p.bias, ",")}}));
  // One scale an output.
  auto& tensors = s.builder.model().subgraphs[0]->tensors;
  auto& weights = *tensors[1]->quantization;
  auto& bias = tensors[2]->quantization;
  bias = std::make_unique<schema::QuantizationParametersT>();
  weights.scale = p.weight_scales;
  weights.zero_point.assign(p.weight_scales.size(), p.weight_zero);
  weights.quantized_dimension = op == Op::kDepthwise ? 3 : 0;
  for (float scale : p.weight_scales) bias->scale.push_back(scale * p.in_scale);
  bias->zero_point.assign(p.weight_scales.size(), 0);
  return s;
}

// Codes of the kernel that the arithmetic misses.
template <typename Code>
int Misses(Op op, bool per_channel, Ties ties, int seed) {
  std::mt19937 random(seed);
  const Products p = Draw<Code>(random, per_channel);
  const Sums<Code> s = Build<Code>(op, p, random);
  const std::vector<Code> got = QuantizedOnCpu<Code>(s.builder, {s.input});
  EXPECT_EQ(got.size(), size_t{Products::kPixels} * Products::kOutputs);
  return Differences(got, [&](int pixel, int o) {
    const int at =
        op == Op::kDepthwise ? pixel * Products::kOutputs + o : pixel;
    const int32_t sum =
        (s.input[at] - p.in_zero) * (s.weights[o] - p.weight_zero) + p.bias[o];
    const bool by_channel =
        std::is_signed<Code>::value && op != Op::kFullyConnected;
    const Multiplier m = MultiplierOf(ConvolutionScale(
        p.in_scale, p.weight_scale(o), p.out_scale, by_channel));
    return Clamped<Code>(int64_t{Multiply(sum, m, ties)} + p.out_zero);
  });
}

TEST(KernelTest, ConvolutionsAndMatrixProductsRoundTiesUp) {
  for (int seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(seed);
    EXPECT_EQ(Misses<int8_t>(Op::kConv, false, Ties::kUp, seed), 0);
    EXPECT_EQ(Misses<int8_t>(Op::kConv, true, Ties::kUp, seed), 0);
    EXPECT_EQ(Misses<uint8_t>(Op::kConv, false, Ties::kUp, seed), 0);
    EXPECT_EQ(Misses<int8_t>(Op::kFullyConnected, false, Ties::kUp, seed), 0);
    EXPECT_EQ(Misses<uint8_t>(Op::kFullyConnected, false, Ties::kUp, seed), 0);
  }
}

TEST(KernelTest, DepthwiseConvolutionsRoundTiesAwayFromZero) {
  for (int seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(seed);
    EXPECT_EQ(Misses<int8_t>(Op::kDepthwise, false, Ties::kAwayFromZero, seed),
              0);
    EXPECT_EQ(Misses<int8_t>(Op::kDepthwise, true, Ties::kAwayFromZero, seed),
              0);
    EXPECT_EQ(Misses<uint8_t>(Op::kDepthwise, false, Ties::kAwayFromZero, seed),
              0);
  }
}

// The tests above can fail: the other rounding does.
TEST(KernelTest, TheOtherRoundingIsNotTheirs) {
  int misses = 0;
  for (int seed = 1; seed <= 8; ++seed) {
    misses += Misses<int8_t>(Op::kConv, true, Ties::kAwayFromZero, seed) +
              Misses<int8_t>(Op::kDepthwise, true, Ties::kUp, seed);
  }
  EXPECT_GT(misses, 0);
}

// ADD and SUB of (value - zero point); the result still needs the output's zero
// point and clamping.
int32_t Add(int32_t a, int32_t b, const AddMultipliers& m, bool subtract) {
  constexpr int32_t kUnit = 1 << AddMultipliers::kMoreBits;
  if (subtract) b = -b;
  const int32_t first = Multiply(a * kUnit, m.a, Ties::kAwayFromZero);
  const int32_t second = Multiply(b * kUnit, m.b, Ties::kAwayFromZero);
  return Multiply(first + second, m.sum, Ties::kAwayFromZero);
}

template <typename Code>
void ExpectPairsAsTflite(schema::BuiltinOperator op, int seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> scale(0.001f, 0.1f);
  const int low = std::is_signed<Code>::value ? -128 : 0;
  const auto zero = [&] { return low + static_cast<int>(random() % 256); };
  const float as = scale(random), bs = scale(random), ys = scale(random) * 2;
  const int az = zero(), bz = zero(), yz = zero();
  constexpr int kQuantized = 65536;  // every pair
  std::vector<Code> ac(kQuantized), bc(kQuantized);
  for (int i = 0; i < kQuantized; ++i) {
    ac[i] = static_cast<Code>(low + i / 256);
    bc[i] = static_cast<Code>(low + i % 256);
  }
  const auto tensor = [](float s, int z) {
    return testing::QuantizedAs<Code>(s, z) + "[1,65536]";
  };
  const std::vector<Code> got = QuantizedOnCpu<Code>(
      absl::StrCat(schema::EnumNameBuiltinOperator(op), "@2 a=", tensor(as, az),
                   " b=", tensor(bs, bz), " -> ", tensor(ys, yz)),
      {ac, bc});
  const AddMultipliers m = AddMultipliersOf(as, bs, ys);
  const Multiplier product = MultiplierOf(ProductScale(as, bs, ys));
  const auto want = [&](int x, int z) {
    return op == schema::BuiltinOperator::MUL
               ? Multiply(x * z, product, Ties::kAwayFromZero)
               : Add(x, z, m, op == schema::BuiltinOperator::SUB);
  };
  int misses = 0;
  for (int i = 0; i < kQuantized; ++i) {
    if (got[i] != Clamped<Code>(int64_t{want(ac[i] - az, bc[i] - bz)} + yz)) {
      ++misses;
    }
  }
  EXPECT_EQ(misses, 0) << "seed " << seed;
}

TEST(KernelTest, FunctionsOfEveryPairOfQuantizedValues) {
  for (auto op : {schema::BuiltinOperator::ADD, schema::BuiltinOperator::SUB,
                  schema::BuiltinOperator::MUL}) {
    SCOPED_TRACE(schema::EnumNameBuiltinOperator(op));
    for (int seed = 1; seed <= 20; ++seed) {
      ExpectPairsAsTflite<int8_t>(op, seed);
      ExpectPairsAsTflite<uint8_t>(op, seed);
    }
  }
}

// Every code through an op of one input, many quantizations.
template <typename In, typename Out>
void ExpectRescaledAsTflite(schema::BuiltinOperator op, int seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> scale(0.01f, 0.1f);
  const int low = std::is_signed<In>::value ? -128 : 0;
  const int out_low = std::is_signed<Out>::value ? -128 : 0;
  const float xs = scale(random), ys = scale(random);
  const int xz = low + static_cast<int>(random() % 256);
  const int yz = out_low + static_cast<int>(random() % 256);
  std::vector<In> quantized(256);
  for (int i = 0; i < 256; ++i) quantized[i] = static_cast<In>(low + i);
  const auto got = QuantizedOnCpu<Out>(
      absl::StrCat(schema::EnumNameBuiltinOperator(op),
                   op == schema::BuiltinOperator::RELU_N1_TO_1 ? "" : "@2",
                   " x=", testing::QuantizedAs<In>(xs, xz), "[1,256] -> ",
                   testing::QuantizedAs<Out>(ys, yz), "[1,256]"),
      std::vector<std::vector<In>>{quantized});
  ASSERT_EQ(got.size(), 256u);
  const bool quantize = op == schema::BuiltinOperator::QUANTIZE;
  const Multiplier m =
      MultiplierOf(quantize ? QuantizeScale(xs, ys) : ReluScale(xs, ys));
  const auto bound = [&](float value) {
    return yz + static_cast<int>(std::round(value / ys));
  };
  for (int i = 0; i < 256; ++i) {
    int32_t want = Clamped<Out>(
        int64_t{Multiply(quantized[i] - xz, m, Ties::kAwayFromZero)} + yz);
    if (op == schema::BuiltinOperator::RELU_N1_TO_1) {
      want = std::min(std::max(want, bound(-1)), bound(1));
    } else if (!quantize) {
      want = std::max(want, yz);
      if (op == schema::BuiltinOperator::RELU6) want = std::min(want, bound(6));
    }
    ASSERT_EQ(got[i], want)
        << schema::EnumNameBuiltinOperator(op) << " of " << int{quantized[i]};
  }
}

TEST(KernelTest, RescalingOfEveryCode) {
  using Op = schema::BuiltinOperator;
  for (int seed = 1; seed <= 40; ++seed) {
    for (Op op : {Op::RELU, Op::RELU6, Op::RELU_N1_TO_1, Op::QUANTIZE}) {
      ExpectRescaledAsTflite<int8_t, int8_t>(op, seed);
      ExpectRescaledAsTflite<uint8_t, uint8_t>(op, seed);
    }
    ExpectRescaledAsTflite<int8_t, uint8_t>(Op::QUANTIZE, seed);
    ExpectRescaledAsTflite<uint8_t, int8_t>(Op::QUANTIZE, seed);
  }
}

template <typename Code>
void ExpectPoolAsTflite(int window, int seed) {
  std::mt19937 random(seed);
  constexpr int kChannels = 512;
  const auto quantized =
      RandomQuantized<Code>(window * window * kChannels, random);
  const std::string tensor = testing::QuantizedAs<Code>(0.1f, 3);
  const std::vector<Code> got = QuantizedOnCpu<Code>(
      absl::StrCat("AVERAGE_POOL_2D@2 x=", tensor, "[1,", window, ",", window,
                   ",512] filter=", window, " padding=VALID -> ", tensor,
                   "[1,1,1,512]"),
      {quantized});
  ASSERT_EQ(got.size(), size_t{kChannels});
  for (int c = 0; c < kChannels; ++c) {
    int32_t sum = 0;
    for (int i = 0; i < window * window; ++i) {
      sum += quantized[i * kChannels + c];
    }
    ASSERT_EQ(got[c], DivideRounded(sum, window * window)) << window;
  }
}

TEST(KernelTest, AveragePoolOfQuantized) {
  for (int window : {1, 2, 3, 4, 7, 8}) {
    ExpectPoolAsTflite<int8_t>(window, window);
    ExpectPoolAsTflite<uint8_t>(window, window);
  }
}

}  // namespace
}  // namespace gles_delegate::quant
