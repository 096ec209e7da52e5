#include "delegate/ops/elementwise/fill.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/elementwise/elementwise.h"

namespace gles_delegate {

absl::StatusOr<ParsedNode> ParseFill(const NodeView& node) {
  ASSIGN_OR_RETURN(auto dims, IntsOfInput(node, 0));
  if (node.inputs[0]->dims.size() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("the dimensions are ", DimsString(node.inputs[0]->dims),
                     ", wants a vector"));
  }
  const Tensor& value = *node.inputs[1];
  if (!value.dims.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the value is ", DimsString(value.dims), ", wants a scalar"));
  }
  RETURN_IF_ERROR(CheckOutputDims(*node.outputs[0], dims));
  ElementwiseAttributes a;
  a.source = 1;
  a.source_shape = value.shape;
  return ParsedNode{a, {}};
}

absl::StatusOr<ParsedNode> ParseZerosLike(const NodeView& node) {
  ElementwiseAttributes a;
  a.source_shape = node.inputs[0]->shape;
  return ParsedNode{a, {PostOp{"zeros_like"}}};
}

}  // namespace gles_delegate
