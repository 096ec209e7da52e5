#include "delegate/ops/elementwise/select.h"

#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/ops/work_group.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

// The condition broadcasts as `condition` does, the values as they are.
ParsedNode AlignSelect(const NodeView& node,
                       const std::vector<int>& condition) {
  const std::vector<int>& to = node.outputs[0]->dims;
  SelectAttributes attributes;
  attributes.aligned = {AlignedShape(condition, to),
                        AlignedShape(node.inputs[1]->dims, to),
                        AlignedShape(node.inputs[2]->dims, to)};
  return ParsedNode{attributes, {}};
}

}  // namespace

absl::StatusOr<ParsedNode> ParseSelect(const NodeView& node) {
  std::vector<int> condition = node.inputs[0]->dims;
  // A vector is of the first axis.
  if (condition.size() == 1) condition.resize(node.inputs[1]->dims.size(), 1);
  return AlignSelect(node, condition);
}

absl::StatusOr<ParsedNode> ParseSelectV2(const NodeView& node) {
  return AlignSelect(node, node.inputs[0]->dims);
}

absl::Status PlanSelect(const Node& node, Planner* planner) {
  const auto& attributes = node.Get<SelectAttributes>();
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
