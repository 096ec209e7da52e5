#include "delegate/ops/movement/pack.h"

#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/fold_axes.h"
#include "delegate/ops/movement/concatenation.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

absl::StatusOr<ParsedNode> ParsePack(const NodeView& node) {
  const int count = static_cast<int>(node.inputs.size());
  ASSIGN_OR_RETURN(auto params, node.Get<PackParams>());
  const std::vector<int>& dims = node.inputs[0]->dims;
  int rank = static_cast<int>(dims.size()) + 1;
  ASSIGN_OR_RETURN(auto axis, NormalAxis(params->axis, rank));
  std::vector<int> want = dims;
  want.insert(want.begin() + axis, count);
  PackAttributes a;
  const AxisPlace place = PlaceOfAxis(want, axis);
  a.axis = place.axis;
  a.step = place.step;
  want[axis] = 1;
  a.view = want;
  if (place.outer != 0) {
    a.remap.src_outer = a.remap.dst_outer = place.outer;
    return ParsedNode{a, {}};
  }
  a.remap = Remap::Constant();
  if (rank > 5) {
    a.remap.src_outer = 1;
    a.remap.dst_outer = OuterOfFive(want);
    axis -= rank - 5;
    rank = 5;
  }
  for (int i = 0; i + 1 < rank; ++i) {
    a.remap.Follow(BhwcAxis(i, rank - 1), BhwcAxis(i < axis ? i : i + 1, rank));
  }
  return ParsedNode{a, {}};
}

absl::Status PlanPack(const Node& node, Planner* planner) {
  const auto a = node.Get<PackAttributes>();
  const TensorId output = node.outputs[0];
  if (a.axis != kChannelAxis) {
    AxisArray extent = ExtentsOf(planner->tensor(output), a.remap.dst_outer);
    extent[a.axis] = a.step;
    AxisArray at = {};
    for (TensorId input : node.inputs) {
      AddRemapToBox(planner, input, output, a.remap, extent, at);
      at[a.axis] += a.step;
    }
    return absl::OkStatus();
  }
  // Along the channels four inputs share a texel, so each input becomes a
  // tensor of one channel first.
  std::vector<TensorId> columns;
  for (TensorId input : node.inputs) {
    if (planner->tensor(input).shape == Shape::FromDims(a.view)) {
      columns.push_back(input);
      continue;
    }
    columns.push_back(planner->AddTemporaryOf(
        "input of one channel", a.view, planner->tensor(node.outputs[0]).type));
    AddRemap(planner, input, columns.back(), a.remap);
  }
  AddConcatenation(planner, std::move(columns), output, kChannelAxis);
  return absl::OkStatus();
}

}  // namespace gles_delegate
