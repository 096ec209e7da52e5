// Random numbers and quantized values, from a seed that the test names.
#ifndef GLES_DELEGATE_TESTS_TESTING_UNIFORM_H_
#define GLES_DELEGATE_TESTS_TESTING_UNIFORM_H_

#include <cstddef>
#include <random>
#include <vector>

namespace gles_delegate::testing {

// `n` floats in [low, high).
inline std::vector<float> Uniform(size_t n, float low, float high,
                                  int seed = 1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> draw(low, high);
  std::vector<float> values(n);
  for (float& v : values) v = draw(random);
  return values;
}

// `n` integers in [low, high], both included.
template <typename T>
std::vector<T> Codes(size_t n, int low, int high, int seed) {
  std::mt19937 random(seed);
  std::vector<T> quantized(n);
  for (T& c : quantized) {
    c = static_cast<T>(low + static_cast<int>(random() % (high - low + 1)));
  }
  return quantized;
}

// `n` of all 8-bit codes.
template <typename Code>
std::vector<Code> RandomQuantized(size_t n, std::mt19937& random) {
  std::vector<Code> quantized(n);
  for (Code& c : quantized) c = static_cast<Code>(random() >> 24);
  return quantized;
}

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_UNIFORM_H_
