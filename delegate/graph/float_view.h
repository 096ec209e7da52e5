// The float view of a quantized model: ops see float32 tensors; constants are
// dequantized as they are packed, the partition's 8-bit inputs and outputs at
// each inference, and a quantization simulator follows each op whose output
// carries quantization, so that activations keep to the codes of their tensor.
#ifndef GLES_DELEGATE_DELEGATE_GRAPH_FLOAT_VIEW_H_
#define GLES_DELEGATE_DELEGATE_GRAPH_FLOAT_VIEW_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "delegate/graph/graph.h"

namespace gles_delegate {

// An 8- or 16-bit integer type.
bool IsQuantizedType(DataType type);

// Ok where a float view of `tensor` is exact: finite, positive scales, zero
// points within the type, one pair for an activation, one per index of the
// quantized dimension for a constant; activations within what 32-bit floats
// hold, 16-bit ones with `half`, and their scales not denormal.
// kInvalidArgument: which of these fails.
absl::Status CheckQuantization(const Tensor& tensor, bool half);

// Makes the tensor float32 to the ops, its bytes staying what they are.
// CheckQuantization() must have passed.
void ViewAsFloat(Tensor* tensor);

// True for a node that only moves values between tensors of one quantization,
// as TFLite moves their codes, and has no post-ops.
bool KeepsCodes(const Graph& graph, const Node& node);

// Appends the simulator of the node's output, if it needs one: none where the
// output is no float view, or where the op only moves values between tensors of
// one quantization. kUnimplemented: an op of several outputs that needs some.
absl::Status AddSimulator(const Graph& graph, Node* node);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_GRAPH_FLOAT_VIEW_H_
