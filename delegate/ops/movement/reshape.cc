// RESHAPE, SQUEEZE, EXPAND_DIMS: the same elements in the same linear order in
// another shape, of any rank. A shape given as an input must be constant.
// kInvalidArgument: different element counts.
#include "absl/strings/str_cat.h"
#include "delegate/graph/op.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/movement/remap.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
absl::StatusOr<ParsedNode> ParseReshape(const NodeView& node) {
  const Tensor& input = *node.inputs[0];
  const Tensor& output = *node.outputs[0];
  const bool other_bytes = input.quantized != output.quantized ||
                           (!input.is_constant() && input.host != output.host);
  if (other_bytes) {
    return absl::UnimplementedError(absl::StrCat(
        "input is ", DataTypeName(input.stored()), ", output ",
        DataTypeName(output.stored()),
        ": TFLite's kernel copies the bytes, here values are moved"));
  }
  if (input.shape.elements() == output.shape.elements()) return ParsedNode{};
  return absl::InvalidArgumentError(
      absl::StrCat("input ", DimsString(input.dims), " has ",
                   input.shape.elements(), " elements, output ",
                   DimsString(output.dims), " has ", output.shape.elements()));
}

absl::Status PlanReshape(const Node& node, Planner* planner) {
  AddReshape(planner, node.inputs[0], node.outputs[0]);
  return absl::OkStatus();
}

}  // namespace gles_delegate
