#include "delegate/ops/movement/space_depth.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/ops/checks.h"
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

// --- SPACE_TO_BATCH_ND, BATCH_TO_SPACE_ND ------------------------------------

namespace {

absl::Status PlanSpaceBatch(const Node& node, bool to_batch, Planner* planner) {
  const auto& a = node.Get<SpaceBatchAttributes>();
  Dispatch d = TexelDispatch("space_batch", node, *planner);
  if (to_batch) d.Define("TO_BATCH");
  d.uniforms.Int2("block", a.block_w, a.block_h);
  d.uniforms.Int2("edge", a.left, a.top);
  d.uniforms.Float("fill", a.fill);
  AddInLightGroups(std::move(d), planner);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ParsedNode> ParseSpaceBatch(const NodeView& node) {
  const std::vector<int>& dims = node.inputs[0]->dims;
  ASSIGN_OR_RETURN(auto block, IntsOfInput(node, 1));
  ASSIGN_OR_RETURN(auto edges, IntsOfInput(node, 2));
  const size_t axes = block.size();
  if (axes < 1 || axes > 2 || dims.size() != axes + 2 ||
      edges.size() != 2 * axes ||
      *std::min_element(block.begin(), block.end()) < 1 ||
      *std::min_element(edges.begin(), edges.end()) < 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "blocks of ", absl::StrJoin(block, "x"), " and edges of ",
        absl::StrJoin(edges, ","), " for an input of ", DimsString(dims)));
  }
  if (axes == 2) {
    return ParsedNode{
        SpaceBatchAttributes{block[0], block[1], edges[0], edges[2], 0}, {}};
  }
  SpaceBatchAttributes a;
  a.block_w = block[0];  // the one spatial axis of rank 3 is the width
  a.left = edges[0];
  return ParsedNode{a, {}};
}

absl::Status PlanSpaceToBatch(const Node& node, Planner* planner) {
  return PlanSpaceBatch(node, /*to_batch=*/true, planner);
}

absl::Status PlanBatchToSpace(const Node& node, Planner* planner) {
  return PlanSpaceBatch(node, /*to_batch=*/false, planner);
}

// --- DILATE ------------------------------------------------------------------

absl::StatusOr<ParsedNode> ParseDilate(const NodeView& node) {
  const Tensor& input = *node.inputs[0];
  for (const Tensor* t : {node.inputs[2], node.outputs[0]}) {
    RETURN_IF_ERROR(CheckOneQuantization(input, *t));
  }
  ASSIGN_OR_RETURN(const auto dilations, IntsOfInput(node, 1));
  const int rank = static_cast<int>(input.dims.size());
  DilateAttributes a;
  for (int axis = 0; axis < rank; ++axis) {
    if (dilations[axis] < 1) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the dilation ", dilations[axis], " must be at least 1"));
    }
    a.steps[BhwcAxis(axis, rank)] = dilations[axis];
  }
  return ParsedNode{a, {}};
}

absl::Status PlanDilate(const Node& node, Planner* planner) {
  const auto& a = node.Get<DilateAttributes>();
  Dispatch d = TexelDispatch("dilate", node, *planner);
  if (a.steps[kChannelAxis] == 1) d.Define("WHOLE");
  d.Read("value", node.inputs[2]);
  BindAxes("steps", a.steps, &d);
  AddInLightGroups(std::move(d), planner);
  return absl::OkStatus();
}

}  // namespace gles_delegate
