// DEQUANTIZE of a constant, 16-bit weights mostly. It runs nowhere: its output
// is a constant once FoldConstantNode (delegate/passes/fold_constants.h) has
// seen it. kUnimplemented: the input is computed at run time.
#ifndef GLES_DELEGATE_DELEGATE_OPS_DEQUANTIZE_H_
#define GLES_DELEGATE_DELEGATE_OPS_DEQUANTIZE_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "delegate/ops/op.h"

namespace gles_delegate {

absl::StatusOr<ParsedNode> ParseDequantize(const NodeView& node);

// Ok, without a dispatch, where all outputs are constants by now.
absl::Status PlanFoldedConstant(const Node& node, Planner* planner);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_DEQUANTIZE_H_
