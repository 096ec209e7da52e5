#include "tools/op_models/random.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

namespace gles_delegate::testing {
namespace {

constexpr uint64_t kDefaultSeed = 20210;
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

uint64_t ReadSeed() {
  const char* text = std::getenv("GLES_TEST_SEED");
  uint64_t seed = kDefaultSeed;
  if (text != nullptr && *text != '\0') seed = std::strtoull(text, nullptr, 0);
  std::printf("GLES_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
  std::fflush(stdout);
  return seed;
}

uint64_t Fnv1a(std::string_view text) {
  uint64_t hash = 14695981039346656037ull;
  for (char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  }
  return hash;
}

}  // namespace

uint64_t TestSeed() {
  static const uint64_t seed = ReadSeed();
  return seed;
}

Random::Random(std::string_view stream) : state_(TestSeed() ^ Fnv1a(stream)) {}

// splitmix64; the standard library's distributions differ between libraries.
uint64_t Random::NextBits() {
  state_ += 0x9e3779b97f4a7c15ull;
  uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

float Random::NextUniform(float low, float high) {
  // 24 bits: every value is a float below 1.
  const float unit = static_cast<float>(NextBits() >> 40) * 0x1p-24f;
  return low + (high - low) * unit;
}

float Random::NextGaussian(float mean, float deviation) {
  constexpr double kTwoPi = 6.283185307179586;
  const double u = (static_cast<double>(NextBits() >> 11) + 1) * 0x1p-53;
  const double v = static_cast<double>(NextBits() >> 11) * 0x1p-53;
  return static_cast<float>(mean + deviation * std::sqrt(-2 * std::log(u)) *
                                       std::cos(kTwoPi * v));
}

int Random::NextInt(int low, int high) {
  const uint64_t span = static_cast<uint64_t>(high - low) + 1;
  return low + static_cast<int>(NextBits() % span);
}

std::vector<float> Random::Uniform(size_t n, float low, float high) {
  std::vector<float> values(n);
  for (float& value : values) value = NextUniform(low, high);
  return values;
}

std::vector<float> Random::Gaussian(size_t n, float mean, float deviation) {
  std::vector<float> values(n);
  for (float& value : values) value = NextGaussian(mean, deviation);
  return values;
}

std::vector<float> Random::WithCorners(size_t n) {
  static constexpr float kCorners[] = {0.0f, -0.0f, -3.0f,  -1.0f, 1.0f,  3.0f,
                                       6.0f, 40.0f, -40.0f, 1e-3f, -1e-3f};
  constexpr int kCount = sizeof(kCorners) / sizeof(kCorners[0]);
  std::vector<float> values = Gaussian(n, 0, 3);
  for (float& value : values) {
    if (NextInt(0, 7) == 0) value = kCorners[NextInt(0, kCount - 1)];
  }
  return values;
}

const std::vector<float>& SpecialValues() {
  constexpr float kMax = std::numeric_limits<float>::max();
  constexpr float kMin = std::numeric_limits<float>::min();
  constexpr float kDenorm = std::numeric_limits<float>::denorm_min();
  static const auto& values =
      *new std::vector<float>{0.0f,  -0.0f, kInf,    -kInf,    kNan,     kMax,
                              -kMax, kMin,  kDenorm, 65504.0f, 65520.0f, 1e-8f};
  return values;
}

const std::vector<float>& FunctionValues() {
  static const auto& values = *new std::vector<float>{
      0.0f,   -0.0f,      1,      -1,     0.5f,        -0.5f,   2,
      -2,     3,          -3,     1.5f,   -1.5f,       2.5f,    -2.5f,
      3.5f,   -3.5f,      6,      7,      88,          89,      -88,
      -104,   -200,       1e10f,  -1e10f, 1e6f,        3e38f,   -3e38f,
      1e-30f, kNan,       kInf,   -kInf,  8388607.5f,  8388609, 20,
      -20,    12345.678f, -54321, 0.999f, -8388607.5f, 1.001f,  0.49999997f};
  return values;
}

}  // namespace gles_delegate::testing
