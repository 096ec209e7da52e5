#include "delegate/ops/movement/space_batch.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/work_group.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
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

// kInvalidArgument: blocks below 1, negative paddings or crops, not one for
// each axis but the batch and the channels.
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

}  // namespace gles_delegate
