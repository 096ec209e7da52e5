// EQUAL, NOT_EQUAL, LESS, LESS_EQUAL, GREATER, GREATER_EQUAL: bools of two
// tensors of float32 or int32 (EQUAL and NOT_EQUAL of bool too), broadcast as
// the arithmetic ops are. 8-bit tensors as TFLite compares them: both sides
// scaled in integers, so that codes which its rounding brings together are
// equal.
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
  // Both inputs are of 8-bit codes, whose steps are scaled by these.
  bool of_codes = false;
  std::array<quant::Multiplier, 2> multipliers;
};

// kInvalidArgument: types or shapes that do not go together.
ParseFunction ParseComparison;
PlanFunction PlanComparison;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_ELEMENTWISE_COMPARISON_H_
