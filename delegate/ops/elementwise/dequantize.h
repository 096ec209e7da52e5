// DEQUANTIZE and QUANTIZE. Of a constant (16-bit weights mostly) DEQUANTIZE
// runs nowhere: its output is a constant once FoldConstantNode
// (delegate/passes/fold_constants.h) has seen it. At run time both are copies
// in the float view (delegate/graph/float_view.h), where every tensor holds
// real values; QUANTIZE's rounding is the simulator behind its output.
#ifndef GLES_DELEGATE_DELEGATE_OPS_ELEMENTWISE_DEQUANTIZE_H_
#define GLES_DELEGATE_DELEGATE_OPS_ELEMENTWISE_DEQUANTIZE_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "delegate/graph/op.h"

namespace gles_delegate {

absl::StatusOr<ParsedNode> ParseDequantize(const NodeView& node);
// kInvalidArgument: an output without quantization parameters.
absl::StatusOr<ParsedNode> ParseQuantize(const NodeView& node);
absl::Status PlanDequantize(const Node& node, Planner* planner);

// Ok, without a dispatch, where all outputs are constants by now.
absl::Status PlanFoldedConstant(const Node& node, Planner* planner);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_ELEMENTWISE_DEQUANTIZE_H_
