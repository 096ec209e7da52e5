#include "delegate/ops/dequantize.h"

#include "absl/strings/str_cat.h"

namespace gles_delegate {

absl::StatusOr<ParsedNode> ParseDequantize(const NodeView& node) {
  if (auto s = node.CheckCounts(1, 1, 1); !s.ok()) return s;
  const Tensor& input = *node.inputs[0];
  if (!input.is_constant()) {
    return absl::UnimplementedError(
        absl::StrCat("the input ", input.ToString(),
                     " is computed at run time; only constants are supported"));
  }
  if (input.dims != node.outputs[0]->dims) {
    return absl::InvalidArgumentError(
        absl::StrCat("the output ", node.outputs[0]->ToString(),
                     " must have the shape of the input ", input.ToString()));
  }
  return ParsedNode{};
}

absl::Status PlanFoldedConstant(const Node& node, Planner* planner) {
  for (TensorId id : node.outputs) {
    if (planner->tensor(id).is_constant()) continue;
    return absl::UnimplementedError(
        absl::StrCat(planner->tensor(id).ToString(),
                     " is no constant after folding; only constants are "
                     "supported"));
  }
  return absl::OkStatus();
}

}  // namespace gles_delegate
