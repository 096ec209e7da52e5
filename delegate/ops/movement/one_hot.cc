#include "delegate/ops/movement/one_hot.h"

#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/movement/linear_gather.h"
#include "delegate/ops/work_group.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

// kInvalidArgument: an invalid axis, values of more than one element, or a
// wrong output shape.
absl::StatusOr<ParsedNode> ParseOneHot(const NodeView& node) {
  for (const Tensor* tensor : {node.inputs[0], node.outputs[0]}) {
    RETURN_IF_ERROR(CheckCountable(*tensor));
  }
  ASSIGN_OR_RETURN(auto params, node.Get<OneHotParams>());
  ASSIGN_OR_RETURN(auto depth, IntsOfInput(node, 1));
  const std::vector<int>& dims = node.inputs[0]->dims;
  const int rank = static_cast<int>(dims.size());
  ASSIGN_OR_RETURN(auto axis, NormalAxis(params->axis, rank + 1));
  OneHotAttributes a;
  a.depth = depth.front();
  for (int i = axis; i < rank; ++i) a.inner *= dims[i];
  return ParsedNode{a, {}};
}

absl::Status PlanOneHot(const Node& node, Planner* planner) {
  const auto& a = node.Get<OneHotAttributes>();
  ASSIGN_OR_RETURN(auto indices, IndicesAsInt32(planner, node.inputs[0]));
  const Shape to = planner->tensor(node.outputs[0]).shape;
  Dispatch d("one_hot");
  d.Read("indices", indices);
  d.Read("on_value", node.inputs[2]).Read("off_value", node.inputs[3]);
  d.Write("dst", node.outputs[0]);
  d.uniforms.Int("depth", a.depth);
  d.uniforms.Int("inner", a.inner);
  d.OverTexels(to);
  AddInLightGroups(std::move(d), planner);
  return absl::OkStatus();
}

}  // namespace gles_delegate
