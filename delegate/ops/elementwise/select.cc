#include "delegate/ops/elementwise/select.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/ops/work_group.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

// TFLite's kernels keep the rank of an output of one element, regardless of the
// inputs' ranks, if these have one element each.
bool IsOfOneElement(const NodeView& node) {
  for (const Tensor* input : node.inputs) {
    if (input->shape.elements() != 1) return false;
  }
  return node.outputs[0]->shape.elements() == 1;
}

// The output has these dimensions, and the inputs, of `views`, broadcast to it.
absl::StatusOr<ParsedNode> Align(const NodeView& node,
                                 const std::vector<int>& want,
                                 const std::array<std::vector<int>, 3>& views) {
  RETURN_IF_ERROR(CheckOutputDims(*node.outputs[0], want));
  SelectAttributes attributes;
  for (int i = 0; i < 3; ++i) {
    attributes.aligned[i] = AlignedShape(views[i], want);
  }
  return ParsedNode{attributes, {}};
}

}  // namespace

// kInvalidArgument: incompatible types or shapes.
absl::StatusOr<ParsedNode> ParseSelect(const NodeView& node) {
  if (IsOfOneElement(node)) return ParsedNode{SelectAttributes{}, {}};
  const std::vector<int>& dims = node.inputs[1]->dims;
  std::vector<int> condition = node.inputs[0]->dims;
  if (node.inputs[2]->dims != dims) {
    return absl::InvalidArgumentError(
        absl::StrCat("input 1 is ", DimsString(dims), ", input 2 is ",
                     DimsString(node.inputs[2]->dims), "; they must be equal"));
  }
  const bool vector = condition.size() == 1 && !dims.empty() &&
                      condition.front() == dims.front();
  if (!condition.empty() && condition != dims && !vector) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the condition is ", DimsString(condition), ", wants ",
        DimsString(dims), ", a scalar or a vector of the first axis"));
  }
  if (vector) condition.resize(dims.size(), 1);
  return Align(node, dims, {condition, dims, dims});
}

absl::StatusOr<ParsedNode> ParseSelectV2(const NodeView& node) {
  if (IsOfOneElement(node)) return ParsedNode{SelectAttributes{}, {}};
  const std::array<std::vector<int>, 3> dims = {
      node.inputs[0]->dims, node.inputs[1]->dims, node.inputs[2]->dims};
  auto want = BroadcastDims(dims[1], dims[2]);
  if (!want.ok()) return want.status();
  want = BroadcastDims(dims[0], *want);
  if (!want.ok()) return want.status();
  return Align(node, *want, dims);
}

absl::Status PlanSelect(const Node& node, Planner* planner) {
  const auto& attributes =
      std::any_cast<const SelectAttributes&>(node.attributes);
  const Shape to = planner->tensor(node.outputs[0]).shape;
  Dispatch d("select");
  constexpr const char* kNames[] = {"condition", "a", "b"};
  RETURN_IF_ERROR(ReadBroadcast(node, attributes.aligned, kNames, planner, &d));
  d.Write("dst", node.outputs[0]);
  d.OverTexels(to);
  AddInLightGroups(std::move(d), planner);
  return absl::OkStatus();
}

}  // namespace gles_delegate
