// Queries shared by the passes that fuse two nodes.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_FUSING_H_
#define GLES_DELEGATE_DELEGATE_PASSES_FUSING_H_

#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"

namespace gles_delegate {

// The only node that reads `tensor`; nullptr if there are several or none, or
// if the tensor is a graph output or a view, which a concatenation in place
// reads as well. The graph owns the node.
Node* OnlyReader(TensorId tensor, const Uses& uses, Graph* graph);

// True if one of the node's post-ops or stages has `tensor` as an operand.
bool IsOperand(TensorId tensor, const Node& node);

// True if the function does not depend on the value's position.
bool IsSameEverywhere(const PostOp& op);

// True if the function's operand, if there is one, is broadcast to the output.
bool BroadcastsOperand(const PostOp& op);

// True if both are stored alike, regardless of quantization parameters.
bool IsStoredAlike(const Tensor& a, const Tensor& b);
// True if equal bits have equal meaning in both.
bool LieAlike(const Tensor& a, const Tensor& b);

// True for real numbers that a node computes, or an input of the graph, in
// their own memory.
bool IsComputedFloat(const Tensor& tensor);

// Adds a constant of the same bytes in another shape with as many elements.
TensorId AddConstantAs(const Shape& shape, TensorId constant, Graph* graph);

// Number of tensors that the node's post-ops and stages read.
int CountOperands(const Node& node);

// Whether the device can bind everything that a node of two convolutions uses:
// one input, one output, both weights, and operands.
bool FitsBindingsAsPair(const Node& node, const DeviceProfile& profile);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_FUSING_H_
