#include "delegate/ops/movement/reverse.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/movement/remap.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

absl::StatusOr<ParsedNode> ParseReverse(const NodeView& node) {
  if (auto s = node.CheckCounts(2, 2, 1); !s.ok()) return s;
  if (auto s = CheckMovedTensors(node, 0, 0); !s.ok()) return s;
  const Tensor& input = *node.inputs[0];
  if (auto s = CheckRank(input, "input"); !s.ok()) return s;
  auto axes = IntsOfInput(node, 1, "the axes");
  if (!axes.ok()) return axes.status();
  const int rank = static_cast<int>(input.dims.size());
  ReverseAttributes a;
  for (int i : *axes) {
    auto axis = NormalAxis(i, rank);
    if (!axis.ok()) return axis.status();
    bool& along = a.along[BhwcAxis(*axis, rank)];
    if (along) {
      return absl::InvalidArgumentError(
          absl::StrCat("axis ", *axis, " is named twice"));
    }
    along = true;
  }
  if (auto s = CheckOutputDims(*node.outputs[0], input.dims); !s.ok()) return s;
  return ParsedNode{a, {}};
}

absl::Status PlanReverse(const Node& node, Planner* planner) {
  const auto& a = std::any_cast<const ReverseAttributes&>(node.attributes);
  const AxisArray extent = ExtentsOf(planner->tensor(node.inputs[0]));
  Remap remap;
  for (int i = 0; i < 5; ++i) {
    // An axis of one element stays in order, which is cheaper to move.
    if (a.along[i] && extent[i] > 1) remap.Follow(i, i, -1, extent[i] - 1);
  }
  AddRemap(planner, node.inputs[0], node.outputs[0], remap);
  return absl::OkStatus();
}

}  // namespace gles_delegate
