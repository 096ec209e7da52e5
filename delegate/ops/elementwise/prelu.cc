#include "delegate/ops/elementwise/prelu.h"

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/ops/elementwise/elementwise_binary.h"

namespace gles_delegate {

absl::StatusOr<ParsedNode> ParsePrelu(const NodeView& node) {
  return ParseFunctionOfTwo(node, PostOp{"prelu"}, /*first_is_source=*/true);
}

}  // namespace gles_delegate
