// The float functions from which TFLite's kernels fill their tables, in
// TFLite's precision.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_INTEGER_PATH_FLOAT_FUNCTIONS_H_
#define GLES_DELEGATE_DELEGATE_PASSES_INTEGER_PATH_FLOAT_FUNCTIONS_H_

#include <cmath>

namespace gles_delegate::integer_path {

inline float Logistic(float x) { return 1.0f / (1.0f + std::exp(-x)); }
inline float Tanh(float x) { return std::tanh(x); }
inline float Elu(float x) { return x < 0.0f ? std::exp(x) - 1.0f : x; }
inline float Exp(float x) { return std::exp(x); }
inline float Gelu(float x) {
  constexpr double kRootOfHalf = 0.70710678118654752440;
  return static_cast<float>(
      x * 0.5 * double{std::erfc(-x * static_cast<float>(kRootOfHalf))});
}
inline float GeluByTanh(float x) {
  constexpr double kRootOfTwoByPi = 0.79788456080286535588;
  return static_cast<float>(
      0.5 * x *
      (1 + std::tanh(kRootOfTwoByPi * (x + 0.044715 * std::pow(x, 3)))));
}

}  // namespace gles_delegate::integer_path

#endif  // GLES_DELEGATE_DELEGATE_PASSES_INTEGER_PATH_FLOAT_FUNCTIONS_H_
