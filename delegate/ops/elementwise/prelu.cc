#include "delegate/ops/elementwise/prelu.h"

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/ops/elementwise/elementwise_binary.h"

namespace gles_delegate {

absl::StatusOr<ParsedNode> ParsePrelu(const NodeView& node) {
  RETURN_IF_ERROR(node.CheckCounts(2, 2, 1));
  if (node.inputs[0]->dims != node.outputs[0]->dims) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the output ", node.outputs[0]->ToString(),
        " must have the shape of the input ", node.inputs[0]->ToString()));
  }
  return ParseFunctionOfTwo(node, PostOp{"prelu"}, /*first_is_source=*/true);
}

}  // namespace gles_delegate
