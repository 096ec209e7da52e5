// RESHAPE, SQUEEZE, EXPAND_DIMS: the same elements in the same linear order
// under another shape, of any rank. The new shape, where an input gives it,
// must be a constant. kInvalidArgument: element counts differ, or the output is
// not the shape asked for.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_RESHAPE_H_
#define GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_RESHAPE_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "delegate/graph/op.h"

namespace gles_delegate {

absl::StatusOr<ParsedNode> ParseReshape(const NodeView& node);
absl::StatusOr<ParsedNode> ParseSqueeze(const NodeView& node);
absl::StatusOr<ParsedNode> ParseExpandDims(const NodeView& node);
absl::Status PlanReshape(const Node& node, Planner* planner);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_RESHAPE_H_
