#include "delegate/ops/elementwise/dequantize.h"

#include "absl/strings/str_cat.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

absl::StatusOr<ParsedNode> ParseDequantize(const NodeView& node) {
  if (auto s = node.CheckCounts(1, 1, 1); !s.ok()) return s;
  const Tensor& input = *node.inputs[0];
  if (input.dims != node.outputs[0]->dims) {
    return absl::InvalidArgumentError(
        absl::StrCat("the output ", node.outputs[0]->ToString(),
                     " must have the shape of the input ", input.ToString()));
  }
  if (input.is_constant()) return ParsedNode{};
  if (auto s = CheckFloat(input, "input"); !s.ok()) return s;
  // In the float view the input holds real values already: a copy.
  return ParsedNode{ElementwiseAttributes{0, input.shape, {}}, {}};
}

absl::StatusOr<ParsedNode> ParseQuantize(const NodeView& node) {
  if (auto s = node.CheckCounts(1, 1, 1); !s.ok()) return s;
  if (auto s = CheckFloatTensors(node, 0, 0); !s.ok()) return s;
  if (auto s = CheckOutputDims(*node.outputs[0], node.inputs[0]->dims); !s.ok())
    return s;
  if (!node.outputs[0]->is_float_view()) {
    return absl::InvalidArgumentError(absl::StrCat(
        node.outputs[0]->ToString(), " carries no quantization parameters"));
  }
  // A copy; the simulator that follows every quantized output is the op.
  return ParsedNode{ElementwiseAttributes{0, node.inputs[0]->shape, {}}, {}};
}

absl::Status PlanDequantize(const Node& node, Planner* planner) {
  return planner->tensor(node.inputs[0]).is_constant()
             ? PlanFoldedConstant(node, planner)
             : PlanElementwise(node, planner);
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
