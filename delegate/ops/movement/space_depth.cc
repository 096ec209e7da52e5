#include "delegate/ops/movement/space_depth.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/ops/work_group.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

absl::StatusOr<ParsedNode> ParseSpaceDepth(const NodeView& node) {
  ASSIGN_OR_RETURN(auto params, node.Get<SpaceDepthParams>());
  const int block = params->block_size;
  constexpr int kMaxBlock = 1 << 15;  // its square fits 31 bits
  if (block < 1 || block > kMaxBlock) {
    return absl::InvalidArgumentError(
        absl::StrCat("block ", block, " is not 1 to ", kMaxBlock));
  }
  return ParsedNode{SpaceDepthAttributes{block}, {}};
}

namespace {

// `moved`: how many channels stay together in both tensors, which are those of
// a pixel of the wide tensor.
absl::Status PlanSpaceDepth(const Node& node, const char* shader, int moved,
                            Planner* planner) {
  const auto& a = node.Get<SpaceDepthAttributes>();
  Dispatch d = TexelDispatch(shader, node, *planner);
  if (moved % 4 == 0) d.Define("WHOLE");
  d.uniforms.Int("block", a.block);
  AddInLightGroups(std::move(d), planner);
  return absl::OkStatus();
}

}  // namespace

absl::Status PlanDepthToSpace(const Node& node, Planner* planner) {
  return PlanSpaceDepth(node, "depth_to_space",
                        planner->tensor(node.outputs[0]).shape.c, planner);
}

absl::Status PlanSpaceToDepth(const Node& node, Planner* planner) {
  return PlanSpaceDepth(node, "space_to_depth",
                        planner->tensor(node.inputs[0]).shape.c, planner);
}

}  // namespace gles_delegate
