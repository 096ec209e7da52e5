#include "tools/conformance/special_values.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "tools/op_models/random.h"

namespace gles_delegate::conformance {

const std::vector<float>& MovedValues() { return testing::SpecialValues(); }

const std::vector<float>& FunctionValues() {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  static const auto& values = *new std::vector<float>{
      0.0f,   -0.0f,      1,      -1,     0.5f,        -0.5f,   2,
      -2,     3,          -3,     1.5f,   -1.5f,       2.5f,    -2.5f,
      3.5f,   -3.5f,      6,      7,      88,          89,      -88,
      -104,   -200,       1e10f,  -1e10f, 1e6f,        3e38f,   -3e38f,
      1e-30f, kNan,       kInf,   -kInf,  8388607.5f,  8388609, 20,
      -20,    12345.678f, -54321, 0.999f, -8388607.5f, 1.001f,  0.49999997f};
  return values;
}

SingleOpModel WithValues(SingleOpModel model,
                         const std::vector<float>& values) {
  size_t start = 0;
  for (std::vector<float>& input : model.inputs) {
    for (size_t i = 0; i < input.size(); ++i) {
      input[i] = values[(start + i) % values.size()];
    }
    ++start;
  }
  model.accuracy.range_ends = true;
  return model;
}

std::vector<SpecialValue> SpecialValuesFor(const std::string& op) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  constexpr SpecialValue kNan = {"nan",
                                 std::numeric_limits<float>::quiet_NaN()};
  // By the order in which a kernel compares them, a NaN is lost, or what was
  // before it. Those of CONV_3D clamp it to the largest number.
  static const auto& no_nan = *new std::set<std::string>{
      "ARG_MAX", "ARG_MIN", "CONV_3D", "REDUCE_MAX", "REDUCE_MIN", "TOPK_V2"};
  // The kernels' sums have more terms than the op: running ones, and those of a
  // fast Fourier transform. XNNPACK writes past the tensor of MaxUnpooling2D.
  static const auto& none = *new std::set<std::string>{
      "COMPLEX_ABS",    "IMAG", "LOCAL_RESPONSE_NORMALIZATION",
      "MaxUnpooling2D", "REAL", "RFFT2D"};
  if (none.count(op) > 0) return {};
  std::vector<SpecialValue> values = {{"infinity", kInf},
                                      {"minus_infinity", -kInf}};
  if (no_nan.count(op) == 0) values.push_back(kNan);
  return values;
}

SingleOpModel WithOne(SingleOpModel model, float value) {
  const std::vector<bool> integers = testing::IntegerInputs(model);
  for (size_t i = 0; i < integers.size(); ++i) {
    std::vector<float>& input = model.inputs[i];
    if (!integers[i] && !input.empty()) input[input.size() / 3] = value;
  }
  model.accuracy.range_ends = model.accuracy.either_kernel = true;
  return model;
}

int PairCount(const std::vector<float>& values) {
  return static_cast<int>(values.size() * values.size());
}

SingleOpModel WithPairs(SingleOpModel model, const std::vector<float>& values) {
  for (size_t i = 0; i < values.size() * values.size(); ++i) {
    model.inputs[0][i] = values[i / values.size()];
    model.inputs[1][i] = values[i % values.size()];
  }
  model.accuracy.range_ends = true;
  return model;
}

std::vector<float> Numbers(std::vector<float> values) {
  values.erase(std::remove_if(values.begin(), values.end(),
                              [](float v) { return std::isnan(v); }),
               values.end());
  return values;
}

}  // namespace gles_delegate::conformance
