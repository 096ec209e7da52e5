#include "delegate/ops/movement/regroup_slices.h"

#include <utility>

#include "delegate/ops/work_group.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

Node RegroupSlicesNode(TensorId src, TensorId dst, int first) {
  static const OpDefinition& op = *new OpDefinition{
      "REGROUP_SLICES", -1, 1, 1, nullptr, PlanRegroupSlices, "", kMovesValues};
  Node node;
  node.op = &op;
  node.inputs = {src};
  node.outputs = {dst};
  node.attributes = RegroupSlicesAttributes{first};
  return node;
}

absl::Status PlanRegroupSlices(const Node& node, Planner* planner) {
  const auto& a = node.Get<RegroupSlicesAttributes>();
  Dispatch d = TexelDispatch("regroup_slices", node, *planner);
  d.uniforms.Int("first", a.first);
  planner->Add(std::move(d));
  return absl::OkStatus();
}

}  // namespace gles_delegate
