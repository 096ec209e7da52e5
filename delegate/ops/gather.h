// GATHER: the input's slices along an axis, picked by constant indices of any
// rank. Input and output of rank <= 4; no batch dimensions. kInvalidArgument:
// indices outside the axis, or another output shape than they give.
#ifndef GLES_DELEGATE_DELEGATE_OPS_GATHER_H_
#define GLES_DELEGATE_DELEGATE_OPS_GATHER_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "delegate/ops/op.h"

namespace gles_delegate {

struct GatherAttributes {
  int axis = 0;  // of B, H, W, C
  std::vector<int> indices;
  Shape picked;  // the output, were the indices a vector
};

absl::StatusOr<ParsedNode> ParseGather(const NodeView& node);
absl::Status PlanGather(const Node& node, Planner* planner);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_GATHER_H_
