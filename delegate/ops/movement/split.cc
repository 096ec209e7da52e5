#include "delegate/ops/movement/split.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/fold_axes.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

// Cuts input `value_input` along `axis` into outputs of these sizes.
absl::StatusOr<ParsedNode> ParseCuts(const NodeView& node, int value_input,
                                     int axis, const std::vector<int>& sizes) {
  const Tensor& value = *node.inputs[value_input];
  const AxisPlace place = PlaceOfAxis(value.dims, axis);
  SplitAttributes a;
  a.value_input = value_input;
  int64_t at = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    std::vector<int> want = value.dims;
    want[axis] = sizes[i];
    if (auto s = CheckOutputDims(*node.outputs[i], want); !s.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("output ", i, ": ", s.message()));
    }
    Remap remap;
    remap.offset[place.axis] = static_cast<int>(at) * place.step;
    remap.src_outer = remap.dst_outer = place.outer;
    a.remaps.push_back(remap);
    at += sizes[i];
    if (at > value.dims[axis]) break;  // refused below
  }
  if (at != value.dims[axis]) {
    return absl::InvalidArgumentError(
        absl::StrCat("the outputs have ", at, " elements on axis ", axis,
                     ", the input ", value.dims[axis]));
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

// kInvalidArgument: sizes that do not add up, or a wrong output shape.
absl::StatusOr<ParsedNode> ParseSplit(const NodeView& node) {
  const int outputs = static_cast<int>(node.outputs.size());
  ASSIGN_OR_RETURN(auto params, node.Get<SplitParams>());
  ASSIGN_OR_RETURN(
      auto axis,
      AxisOfInput(node, 0, static_cast<int>(node.inputs[1]->dims.size())));
  const int extent = node.inputs[1]->dims[axis];
  if (outputs < 1 || params->num_splits != outputs || extent % outputs != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("cuts axis ", axis, " of ", extent, " elements into ",
                     params->num_splits, " for ", outputs, " outputs"));
  }
  return ParseCuts(node, 1, axis, std::vector<int>(outputs, extent / outputs));
}

absl::StatusOr<ParsedNode> ParseSplitV(const NodeView& node) {
  const int outputs = static_cast<int>(node.outputs.size());
  ASSIGN_OR_RETURN(
      auto axis,
      AxisOfInput(node, 2, static_cast<int>(node.inputs[0]->dims.size())));
  ASSIGN_OR_RETURN(auto sizes, IntsOfInput(node, 1));
  if (static_cast<int>(sizes.size()) != outputs) {
    return absl::InvalidArgumentError(
        absl::StrCat("has ", sizes.size(), " sizes for ", outputs, " outputs"));
  }
  int64_t rest = node.inputs[0]->dims[axis];
  int* open = nullptr;
  for (int& size : sizes) {
    if (size != -1) {
      rest -= size;
    } else if (open == nullptr) {
      open = &size;
    } else {
      return absl::InvalidArgumentError("has two sizes of -1");
    }
  }
  if (open != nullptr) {
    if (rest < 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the sizes leave ", rest, " elements for the one of -1"));
    }
    // No more than the axis: sizes below -1 give no output's shape.
    *open =
        static_cast<int>(std::min<int64_t>(rest, node.inputs[0]->dims[axis]));
  }
  return ParseCuts(node, 0, axis, sizes);
}

absl::StatusOr<ParsedNode> ParseUnpack(const NodeView& node) {
  const int outputs = static_cast<int>(node.outputs.size());
  ASSIGN_OR_RETURN(auto params, node.Get<UnpackParams>());
  const Tensor& value = *node.inputs[0];
  const int rank = static_cast<int>(value.dims.size());
  ASSIGN_OR_RETURN(auto axis, NormalAxis(params->axis, rank));
  if (value.dims[axis] != outputs || params->num != outputs) {
    return absl::InvalidArgumentError(
        absl::StrCat("axis ", axis, " of ", DimsString(value.dims), " gives ",
                     value.dims[axis], " outputs, the node has ", outputs));
  }
  std::vector<int> want = value.dims;
  want.erase(want.begin() + axis);
  SplitAttributes a;
  for (int i = 0; i < outputs; ++i) {
    RETURN_IF_ERROR(CheckOutputDims(*node.outputs[i], want));
    a.remaps.push_back(UnpackRemap(value.dims, axis, i));
  }
  return ParsedNode{a, {}};
}

absl::Status PlanSplit(const Node& node, Planner* planner) {
  const auto& a = std::any_cast<const SplitAttributes&>(node.attributes);
  for (size_t i = 0; i < a.remaps.size(); ++i) {
    AddRemap(planner, node.inputs[a.value_input], node.outputs[i], a.remaps[i]);
  }
  return absl::OkStatus();
}

}  // namespace gles_delegate
