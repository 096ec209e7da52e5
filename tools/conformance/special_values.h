// Inputs that break shaders: what lies at the ends of float's range.
#ifndef GLES_DELEGATE_TOOLS_CONFORMANCE_SPECIAL_VALUES_H_
#define GLES_DELEGATE_TOOLS_CONFORMANCE_SPECIAL_VALUES_H_

#include <string>
#include <vector>

#include "tools/conformance/names.h"

namespace gles_delegate::conformance {

// Zeros of both signs, subnormal numbers, the least and the largest normal
// ones, half's limits, infinities, NaN: for ops that move values.
const std::vector<float>& MovedValues();

// `model` with every input made of `values`, over and over, and the bounds of
// Accuracy::range_ends. The first input starts at the first value, the second
// at the second, so that pairs differ.
SingleOpModel WithValues(SingleOpModel model, const std::vector<float>& values);

struct SpecialValue {
  const char* name;  // "nan", "infinity", "minus_infinity"
  float value;
};
// Those on which a CPU kernel of the op is an oracle.
std::vector<SpecialValue> SpecialValuesFor(const std::string& op);

// `model` with `value` in one place of every input of floats. TFLite's built-in
// kernels and XNNPACK do not agree on all: either is right.
SingleOpModel WithOne(SingleOpModel model, float value);

// `values` without NaN.
std::vector<float> Numbers(std::vector<float> values);

}  // namespace gles_delegate::conformance

#endif  // GLES_DELEGATE_TOOLS_CONFORMANCE_SPECIAL_VALUES_H_
