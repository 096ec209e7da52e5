#include "delegate/ops/movement/split.h"

#include <vector>

#include "base/status_macros.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/fold_axes.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

// Cuts input `value_input` along `axis` into the outputs.
absl::StatusOr<ParsedNode> ParseCuts(const NodeView& node, int value_input,
                                     int axis_input) {
  const std::vector<int>& dims = node.inputs[value_input]->dims;
  ASSIGN_OR_RETURN(
      auto axis, AxisOfInput(node, axis_input, static_cast<int>(dims.size())));
  // TFLite 2.9 takes sizes of SPLIT_V that leave elements of the axis.
  RETURN_IF_ERROR(CheckPieces(node.outputs, *node.inputs[value_input], axis));
  const AxisPlace place = PlaceOfAxis(dims, axis);
  SplitAttributes a;
  a.value_input = value_input;
  int at = 0;
  for (const Tensor* output : node.outputs) {
    Remap remap;
    remap.offset[place.axis] = at * place.step;
    remap.src_outer = remap.dst_outer = place.outer;
    a.remaps.push_back(remap);
    at += output->dims[axis];
  }
  return ParsedNode{a, {}};
}

// Index `index` of the axis, of which the output is without.
Remap UnpackRemap(const std::vector<int>& dims, int axis, int index) {
  int rank = static_cast<int>(dims.size());
  const AxisPlace place = PlaceOfAxis(dims, axis);
  if (place.outer != 0) {
    Remap remap;
    remap.offset[place.axis] = index * place.step;
    remap.src_outer = remap.dst_outer = place.outer;
    return remap;
  }
  Remap remap = Remap::Constant();
  if (rank > 5) {
    remap.src_outer = OuterOfFive(dims);
    remap.dst_outer = 1;
    axis -= rank - 5;
    rank = 5;
  }
  for (int from = 0, to = 0; from < rank; ++from) {
    if (from == axis) continue;
    remap.Follow(BhwcAxis(from, rank), BhwcAxis(to++, rank - 1));
  }
  remap.offset[BhwcAxis(axis, rank)] = index;
  return remap;
}

}  // namespace

// kInvalidArgument: sizes that do not add up.
absl::StatusOr<ParsedNode> ParseSplit(const NodeView& node) {
  return ParseCuts(node, 1, 0);
}

absl::StatusOr<ParsedNode> ParseSplitV(const NodeView& node) {
  return ParseCuts(node, 0, 2);
}

absl::StatusOr<ParsedNode> ParseUnpack(const NodeView& node) {
  ASSIGN_OR_RETURN(auto params, node.Get<UnpackParams>());
  const std::vector<int>& dims = node.inputs[0]->dims;
  ASSIGN_OR_RETURN(auto axis,
                   NormalAxis(params->axis, static_cast<int>(dims.size())));
  SplitAttributes a;
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    a.remaps.push_back(UnpackRemap(dims, axis, static_cast<int>(i)));
  }
  return ParsedNode{a, {}};
}

absl::Status PlanSplit(const Node& node, Planner* planner) {
  const auto& a = node.Get<SplitAttributes>();
  for (size_t i = 0; i < a.remaps.size(); ++i) {
    AddRemap(planner, node.inputs[a.value_input], node.outputs[i], a.remaps[i]);
  }
  return absl::OkStatus();
}

}  // namespace gles_delegate
