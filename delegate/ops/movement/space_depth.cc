#include "delegate/ops/movement/space_depth.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/work_group.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

absl::StatusOr<ParsedNode> ParseSpaceDepth(const NodeView& node,
                                           bool to_space) {
  ASSIGN_OR_RETURN(auto params, node.Get<SpaceDepthParams>());
  const int block = params->block_size;
  const Tensor& input = *node.inputs[0];
  const Shape& in = input.shape;
  // So that its square, and the output's extents, fit 31 bits if they divide
  // the input's channels or do not exceed the output's.
  constexpr int kMaxBlock = 1 << 15;
  if (block < 1 || block > kMaxBlock) {
    return absl::InvalidArgumentError(
        absl::StrCat("block ", block, " is not 1 to ", kMaxBlock));
  }
  const bool divides = (to_space ? in.c % (block * block) == 0
                                 : in.h % block == 0 && in.w % block == 0);
  if (!divides) {
    return absl::InvalidArgumentError(
        absl::StrCat("block ", block, " does not divide the ",
                     to_space ? "channels" : "height and width", " of ",
                     DimsString(input.dims)));
  }
  RETURN_IF_ERROR(
      to_space
          ? CheckOutputDims(*node.outputs[0], {in.b, in.h * block, in.w * block,
                                               in.c / (block * block)})
          : CheckOutputDims(*node.outputs[0], {in.b, in.h / block, in.w / block,
                                               in.c * block * block}));
  return ParsedNode{SpaceDepthAttributes{block}, {}};
}

// `moved`: how many channels stay together in both tensors, which are those of
// a pixel of the wide tensor.
absl::Status PlanSpaceDepth(const Node& node, const char* shader, int moved,
                            Planner* planner) {
  const auto& a = std::any_cast<const SpaceDepthAttributes&>(node.attributes);
  Dispatch d = TexelDispatch(shader, node, *planner);
  if (moved % 4 == 0) d.Define("WHOLE");
  d.uniforms.Int("block", a.block);
  AddInLightGroups(std::move(d), planner);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ParsedNode> ParseDepthToSpace(const NodeView& node) {
  return ParseSpaceDepth(node, /*to_space=*/true);
}

absl::StatusOr<ParsedNode> ParseSpaceToDepth(const NodeView& node) {
  return ParseSpaceDepth(node, /*to_space=*/false);
}

absl::Status PlanDepthToSpace(const Node& node, Planner* planner) {
  return PlanSpaceDepth(node, "depth_to_space",
                        planner->tensor(node.outputs[0]).shape.c, planner);
}

absl::Status PlanSpaceToDepth(const Node& node, Planner* planner) {
  return PlanSpaceDepth(node, "space_to_depth",
                        planner->tensor(node.inputs[0]).shape.c, planner);
}

}  // namespace gles_delegate
