// Seeded data for tests: the same numbers on every machine and every run.
//
// GLES_TEST_SEED=<number> changes them; failures print the seed. Each stream
// has a name, so that one test's data does not depend on which tests ran before
// it.
#ifndef GLES_DELEGATE_TOOLS_OP_MODELS_RANDOM_H_
#define GLES_DELEGATE_TOOLS_OP_MODELS_RANDOM_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace gles_delegate::testing {

// GLES_TEST_SEED, or the fixed default. Read once.
uint64_t TestSeed();

class Random {
 public:
  explicit Random(std::string_view stream);

  uint64_t NextBits();

  // In [low, high).
  float NextUniform(float low, float high);
  float NextGaussian(float mean, float deviation);
  // In [low, high], both included.
  int NextInt(int low, int high);

  std::vector<float> Uniform(size_t n, float low, float high);
  std::vector<float> Gaussian(size_t n, float mean = 0, float deviation = 1);
  // Gaussian data in which some elements are zeros of both signs, the values
  // where activations bend (-3, -1, 1, 3, 6), and large and tiny magnitudes.
  std::vector<float> WithCorners(size_t n);

 private:
  uint64_t state_;
};

// Infinities, NaN, denormals and the extremes of float, for ops that must carry
// them through.
const std::vector<float>& SpecialValues();

// Where functions end or bend: zeros, ties, integers past 2^23, arguments whose
// exponential overflows or vanishes, infinities, NaN. No subnormal numbers: a
// driver may take them for zero (GLSL ES 3.10, 4.7.1), where 1 / x or log(x)
// has no bound.
const std::vector<float>& FunctionValues();

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TOOLS_OP_MODELS_RANDOM_H_
