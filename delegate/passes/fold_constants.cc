#include "delegate/passes/fold_constants.h"

namespace gles_delegate {

absl::StatusOr<bool> FoldConstantNode(Graph*, const Node&) { return false; }

}  // namespace gles_delegate
