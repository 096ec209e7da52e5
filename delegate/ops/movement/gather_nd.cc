#include "delegate/ops/movement/gather_nd.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/movement/linear_gather.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

absl::StatusOr<ParsedNode> ParseGatherNd(const NodeView& node) {
  RETURN_IF_ERROR(CheckGather(node));
  const std::vector<int>& dims = node.inputs[0]->dims;
  const std::vector<int>& index_dims = node.inputs[1]->dims;
  if (index_dims.empty() || index_dims.back() > static_cast<int>(dims.size())) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the indices are ", DimsString(index_dims),
        ", their last axis must not be past the rank of ", DimsString(dims)));
  }
  LinearGather gather;
  gather.depth = index_dims.back();
  if (gather.depth > static_cast<int>(gather.extents.size())) {
    return absl::UnimplementedError(absl::StrCat(
        "an index names ", gather.depth, " axes, at most 4 run here"));
  }
  std::copy_n(dims.begin(), gather.depth, gather.extents.begin());
  const auto extents = absl::MakeConstSpan(gather.extents).first(gather.depth);
  RETURN_IF_ERROR(CheckConstantIndices(*node.inputs[1], extents));
  std::vector<int> want(index_dims.begin(), index_dims.end() - 1);
  want.insert(want.end(), dims.begin() + gather.depth, dims.end());
  RETURN_IF_ERROR(CheckOutputDims(*node.outputs[0], want));
  const int64_t picks = node.inputs[1]->shape.elements() / gather.depth;
  gather.count = static_cast<int>(picks);
  gather.inner = static_cast<int>(node.outputs[0]->shape.elements() / picks);
  return ParsedNode{gather, {}};
}

absl::Status PlanGatherNd(const Node& node, Planner* planner) {
  return AddLinearGather(planner, node.inputs[0], node.inputs[1],
                         node.outputs[0],
                         std::any_cast<const LinearGather&>(node.attributes));
}

}  // namespace gles_delegate
