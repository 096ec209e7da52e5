// MEAN, SUM, REDUCE_MAX, REDUCE_MIN, REDUCE_PROD over any axes, kept as extent
// 1 or dropped. Constant axes; above rank 4 where neighbours that are reduced,
// or kept, alike fold into at most 4. kInvalidArgument: axes outside the input,
// or another output shape than they give.
#ifndef GLES_DELEGATE_DELEGATE_OPS_REDUCE_H_
#define GLES_DELEGATE_DELEGATE_OPS_REDUCE_H_

#include <array>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "delegate/ops/op.h"

namespace gles_delegate {

struct ReduceAttributes {
  std::array<bool, 4> over = {};  // B, H, W, C
  std::vector<int> folded;  // the input's dims above rank 4, folded; else empty
};

absl::StatusOr<ParsedNode> ParseReduce(const NodeView& node);
absl::Status PlanMean(const Node& node, Planner* planner);
absl::Status PlanSum(const Node& node, Planner* planner);
absl::Status PlanReduceMax(const Node& node, Planner* planner);
absl::Status PlanReduceMin(const Node& node, Planner* planner);
absl::Status PlanReduceProd(const Node& node, Planner* planner);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_REDUCE_H_
