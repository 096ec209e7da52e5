// EQUAL, NOT_EQUAL, LESS, LESS_EQUAL, GREATER, GREATER_EQUAL of two float32 or
// int32 tensors (EQUAL and NOT_EQUAL also of bool), with broadcasting. 8-bit
// tensors are compared as in TFLite: both sides are scaled in integers, so that
// values which become equal by its rounding are equal.
#ifndef GLES_DELEGATE_DELEGATE_OPS_ELEMENTWISE_COMPARISON_H_
#define GLES_DELEGATE_DELEGATE_OPS_ELEMENTWISE_COMPARISON_H_

#include <array>

#include "absl/strings/string_view.h"
#include "delegate/graph/op.h"
#include "quant/fixed_point.h"

namespace gles_delegate {

struct ComparisonAttributes {
  absl::string_view function;    // GLSL's: "lessThan", ...
  std::array<Shape, 2> aligned;  // of the inputs, as the output sees them
  // Both inputs are 8-bit quantized values, to be scaled by these.
  bool of_quantized = false;
  std::array<quant::Multiplier, 2> multipliers;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_ELEMENTWISE_COMPARISON_H_
