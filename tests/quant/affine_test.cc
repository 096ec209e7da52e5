// labels: unit quant
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "quant/fixed_point.h"

namespace gles_delegate::quant {
namespace {

TEST(RangeOfTest, IsThatOfTheType) {
  EXPECT_EQ(RangeOf(1, true).low, 0);
  EXPECT_EQ(RangeOf(1, true).high, 255);
  EXPECT_EQ(RangeOf(1, false).low, -128);
  EXPECT_EQ(RangeOf(1, false).high, 127);
  EXPECT_EQ(RangeOf(2, false).low, -32768);
  EXPECT_EQ(RangeOf(4, false).high, std::numeric_limits<int32_t>::max());
}

TEST(QuantizeTest, UndoesDequantizeOnEveryCode) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> exponent(-20, 10);
  for (bool is_unsigned : {false, true}) {
    const CodeRange range = RangeOf(1, is_unsigned);
    for (int round = 0; round < 3000; ++round) {
      const float scale = std::exp2(exponent(random));
      const int zero = range.low + static_cast<int>(random() % 256);
      for (int code = range.low; code <= range.high; ++code) {
        const float value = Dequantize(code, scale, zero);
        ASSERT_EQ(Quantize(value, scale, zero, range.low, range.high), code)
            << scale << " " << zero;
      }
    }
  }
}

TEST(QuantizeTest, RoundsHalfAwayFromZeroAndClamps) {
  EXPECT_EQ(Quantize(0.5f, 1, 0, -128, 127), 1);
  EXPECT_EQ(Quantize(-0.5f, 1, 0, -128, 127), -1);
  EXPECT_EQ(Quantize(2.5f, 1, 0, -128, 127), 3);
  EXPECT_EQ(Quantize(0.49999997f, 1, 0, -128, 127), 0);
  EXPECT_EQ(Quantize(1e30f, 1, 3, -128, 127), 127);
  EXPECT_EQ(Quantize(-INFINITY, 1, 3, -128, 127), -128);
  EXPECT_EQ(Quantize(NAN, 1, 3, -128, 127), 3);
}

TEST(WholeTensorTest, IsTheScalarFunctionOnEachElement) {
  std::vector<uint8_t> quantized(256);
  for (int i = 0; i < 256; ++i) quantized[i] = static_cast<uint8_t>(i);
  std::vector<float> values(256);
  DequantizeAll<uint8_t>(quantized, 0.037f, 131, absl::MakeSpan(values));
  for (int i = 0; i < 256; ++i) {
    EXPECT_EQ(values[i], Dequantize(i, 0.037f, 131));
  }
  std::vector<uint8_t> back(256);
  QuantizeAll<uint8_t>(values, 0.037f, 131, RangeOf(1, true),
                       absl::MakeSpan(back));
  EXPECT_EQ(back, quantized);
}

// Ties and their neighbours, values past every code, and NaN.
TEST(WholeTensorTest, RoundsAsTheScalarFunctionEverywhere) {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> exponent(-20, 10);
  constexpr float kMax = std::numeric_limits<float>::max();
  for (int round = 0; round < 300; ++round) {
    const float scale = std::exp2(exponent(random));
    const int zero = static_cast<int>(random() % 65536) - 32768;
    std::vector<float> values = {0.0f,      -0.0f, NAN,   INFINITY,
                                 -INFINITY, kMax,  -kMax, 1e-45f};
    for (int i = 0; i < 500; ++i) {
      const int code = static_cast<int>(random() % 140000) - 70000;
      const float tie = scale * (static_cast<float>(code) + 0.5f);
      values.insert(values.end(),
                    {tie, std::nextafter(tie, kMax), std::nextafter(tie, -kMax),
                     scale * static_cast<float>(code)});
    }
    std::vector<int16_t> quantized(values.size());
    const CodeRange range = RangeOf(2, false);
    QuantizeAll<int16_t>(values, scale, zero, range, absl::MakeSpan(quantized));
    for (size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(quantized[i],
                Quantize(values[i], scale, zero, range.low, range.high))
          << values[i] << " by " << scale << ", zero point " << zero;
    }
  }
}

}  // namespace
}  // namespace gles_delegate::quant
