// The float view of a quantized model: ops see float32 tensors. Constants are
// dequantized when packed, 8-bit inputs and outputs at each inference. A
// quantization simulator follows each op with a quantized output, so that
// activations take only values that their tensor can represent.
#ifndef GLES_DELEGATE_DELEGATE_GRAPH_FLOAT_VIEW_H_
#define GLES_DELEGATE_DELEGATE_GRAPH_FLOAT_VIEW_H_

#include "absl/status/status.h"
#include "delegate/graph/graph.h"
#include "quant/fixed_point.h"

namespace gles_delegate {

// An 8- or 16-bit integer type.
bool IsQuantizedType(DataType type);

// The quantized values that such a type has.
quant::CodeRange RangeOf(DataType type);

// Ok if a float view of `tensor` is exact: positive finite scales and zero
// points within the type, one pair per activation and one per index of the
// quantized dimension for constants. Activations must be within the range of
// 32-bit floats, with scales that are not denormal.
// kInvalidArgument: names the rule that fails.
absl::Status CheckQuantization(const Tensor& tensor);

// Presents the tensor to ops as float32, with unchanged bytes.
// CheckQuantization() must have passed.
void ViewAsFloat(Tensor* tensor);

// True for a node without post-ops that only moves values between tensors of
// one quantization, for which TFLite copies the quantized values.
bool KeepsQuantized(const Graph& graph, const Node& node);

// Appends the simulator of the node's output if it needs one, that is if the
// output is a float view and KeepsQuantized() is false. kUnimplemented: an op
// with several outputs that would need simulators.
absl::Status AddSimulator(const Graph& graph, Node* node);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_GRAPH_FLOAT_VIEW_H_
