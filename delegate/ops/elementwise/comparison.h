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

// SELECT, SELECT_V2: x where the bool condition holds, else y; any of the three
// constant or not; x, y and output of float32, int32 or bool.
//   SELECT     x and y of one shape; the condition of the same, a scalar, or a
//              vector with an element for each index of the first axis
//   SELECT_V2  the three broadcast to the output
struct SelectAttributes {
  std::array<Shape, 3> aligned;  // of the inputs, as the output sees them
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_ELEMENTWISE_COMPARISON_H_
