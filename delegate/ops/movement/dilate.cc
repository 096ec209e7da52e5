#include "delegate/ops/movement/dilate.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/work_group.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

// kInvalidArgument: a dilation below 1. kUnimplemented: a value of another
// quantization.
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
  d.uniforms.Int4("steps", a.steps[kWidthAxis], a.steps[kHeightAxis],
                  a.steps[kChannelAxis], a.steps[kBatchAxis]);
  AddInLightGroups(std::move(d), planner);
  return absl::OkStatus();
}

}  // namespace gles_delegate
