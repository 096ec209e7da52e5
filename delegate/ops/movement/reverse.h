// REVERSE_V2: y = x with the order of elements turned round along constant
// axes, each named once. Rank 1 to 5.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_REVERSE_H_
#define GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_REVERSE_H_

#include <array>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "delegate/graph/op.h"

namespace gles_delegate {

struct ReverseAttributes {
  std::array<bool, 5> along = {};  // as AxisArray
};

// kInvalidArgument: an axis outside the input or named twice, another output
// shape than the input's.
absl::StatusOr<ParsedNode> ParseReverse(const NodeView& node);
absl::Status PlanReverse(const Node& node, Planner* planner);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_REVERSE_H_
