// labels: unit sanitize
#include "quant/half.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace gles_delegate {
namespace {

#if defined(__x86_64__) && defined(__linux__)
// The vector code is compiled for these two features, and AVX2, which was asked
// for once, promises neither on a virtual machine that hides one.
TEST(HalfTest, VectorsAreUsedWhereTheProcessorHasThem) {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line) && line.rfind("flags", 0) != 0) {
  }
  if (line.rfind("flags", 0) != 0) GTEST_SKIP() << "NO /proc/cpuinfo";
  line += ' ';
  const bool has = line.find(" avx ") != std::string::npos &&
                   line.find(" f16c ") != std::string::npos;
  EXPECT_EQ(HalvesAreFast(), has) << line;
}
#elif defined(__aarch64__)
// Each of these processors has NEON with conversions of halves.
TEST(HalfTest, VectorsAreUsedOnEveryAArch64) { EXPECT_TRUE(HalvesAreFast()); }
#endif

// Many at once give what one by one gives, but finite values stay finite. A NaN
// gives any NaN.
void ExpectSameAsOneByOne(const std::vector<float>& floats) {
  std::vector<uint16_t> halves(floats.size() + 1, 0xabcd);
  FloatsToHalves(floats.data(), halves.data(), floats.size());
  std::vector<float> back(floats.size() + 1, 7.0f);
  HalvesToFloats(halves.data(), back.data(), floats.size());
  for (size_t i = 0; i < floats.size(); ++i) {
    if (std::isnan(floats[i])) {
      EXPECT_TRUE(std::isnan(HalfToFloat(halves[i])) && std::isnan(back[i]));
      continue;
    }
    const float within = std::isfinite(floats[i])
                             ? std::clamp(floats[i], -65504.0f, 65504.0f)
                             : floats[i];
    ASSERT_EQ(halves[i], FloatToHalf(within)) << floats[i];
    ASSERT_EQ(back[i], HalfToFloat(halves[i])) << floats[i];
  }
  EXPECT_EQ(halves.back(), 0xabcd);
  EXPECT_EQ(back.back(), 7.0f);
}

TEST(HalvesTest, ConvertsEveryHalf) {
  std::vector<float> floats;
  for (int i = 0; i < 1 << 16; ++i) {
    floats.push_back(HalfToFloat(static_cast<uint16_t>(i)));
  }
  ExpectSameAsOneByOne(floats);
}

TEST(HalvesTest, RoundsAnyFloat) {
  std::mt19937 random(1);
  for (size_t count : {0, 1, 7, 8, 9, 100003}) {
    std::vector<float> floats(count);
    for (float& v : floats) {
      // Of all exponents, and of those that halves have.
      uint32_t bits = random();
      if (random() % 2 == 0) bits = (bits & 0x8fffffff) | 0x30000000;
      std::memcpy(&v, &bits, sizeof(v));
    }
    ExpectSameAsOneByOne(floats);
  }
}

TEST(HalvesTest, RoundsToEvenAndSaturates) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  ExpectSameAsOneByOne({2049, 2051, 65504, 65519.9f, 65520, 1e30f, -1e30f, kInf,
                        -kInf, 0.0f, -0.0f, 5.96e-8f, 2.98e-8f, 1e-30f,
                        std::numeric_limits<float>::quiet_NaN(), 1});
}

// Host tensors may begin anywhere.
TEST(HalvesTest, TakesAnyAlignment) {
  std::vector<float> floats(20, 1.5f);
  std::vector<uint8_t> from(floats.size() * 4 + 1);
  std::memcpy(from.data() + 1, floats.data(), floats.size() * 4);
  std::vector<uint8_t> halves(floats.size() * 2 + 1);
  FloatsToHalves(from.data() + 1, halves.data() + 1, floats.size());
  std::vector<uint8_t> back(from.size());
  HalvesToFloats(halves.data() + 1, back.data() + 1, floats.size());
  EXPECT_EQ(back, from);
}

}  // namespace
}  // namespace gles_delegate
