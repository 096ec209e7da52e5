// SPLIT: the input cut along an axis into equal outputs. SPLIT_V: into outputs
// of given sizes (one may be -1: what is left). UNPACK: into one output for
// each index, without the axis. Rank <= 4; constant axis and sizes.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_SPLIT_H_
#define GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_SPLIT_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "delegate/graph/op.h"
#include "delegate/ops/movement/remap.h"

namespace gles_delegate {

struct SplitAttributes {
  int value_input = 0;
  std::vector<Remap> remaps;  // one for each output
};

// kInvalidArgument: sizes that do not add up, another output shape than they
// give.
absl::StatusOr<ParsedNode> ParseSplit(const NodeView& node);
absl::StatusOr<ParsedNode> ParseSplitV(const NodeView& node);
absl::StatusOr<ParsedNode> ParseUnpack(const NodeView& node);
absl::Status PlanSplit(const Node& node, Planner* planner);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_SPLIT_H_
