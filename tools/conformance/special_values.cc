#include "tools/conformance/special_values.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "tools/op_models/random.h"

namespace gles_delegate::conformance {

const std::vector<float>& MovedValues() { return testing::SpecialValues(); }

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
      "ARG_MAX",    "ARG_MIN", "CONV_3D", "REDUCE_MAX",
      "REDUCE_MIN", "SIGN",    "TOPK_V2"};
  // The kernels' sums have more terms than the op: running ones, and those of a
  // fast Fourier transform. XNNPACK writes past the tensor of MaxUnpooling2D.
  // The box of an infinite landmark is infinite or NaN by the order of its
  // terms.
  static const auto& none =
      *new std::set<std::string>{"COMPLEX_ABS",
                                 "IMAG",
                                 "Landmarks2TransformMatrix",
                                 "LOCAL_RESPONSE_NORMALIZATION",
                                 "MaxUnpooling2D",
                                 "REAL",
                                 "RFFT2D"};
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

std::vector<float> Numbers(std::vector<float> values) {
  values.erase(std::remove_if(values.begin(), values.end(),
                              [](float v) { return std::isnan(v); }),
               values.end());
  return values;
}

}  // namespace gles_delegate::conformance
