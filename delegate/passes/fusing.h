// What the passes that make one node of two ask of the graph.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_FUSING_H_
#define GLES_DELEGATE_DELEGATE_PASSES_FUSING_H_

#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"

namespace gles_delegate {

// The one node that reads `tensor`; nullptr where there are several or none,
// where the tensor is an output of the graph, or where it is a view, which a
// concatenation in place reads too. The graph owns the node.
Node* OnlyReader(TensorId tensor, const Uses& uses, Graph* graph);

// True where one of the node's post-ops takes `tensor` as its operand.
bool IsOperand(TensorId tensor, const Node& node);

// True where the function gives the same of a value wherever the value lies.
bool IsSameEverywhere(const PostOp& op);

// True where both are stored alike, whatever codes stand for.
bool IsStoredAlike(const Tensor& a, const Tensor& b);
// True where the same bits mean the same value in both.
bool LieAlike(const Tensor& a, const Tensor& b);

// How many tensors the node's post-ops read.
int CountOperands(const Node& node);

// Whether the device binds all that a node of two convolutions reads and
// writes: one tensor in, one out, both weights, a table of multipliers where it
// is the sixth input, and operands.
bool FitsBindingsAsPair(const Node& node, const DeviceProfile& profile);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_FUSING_H_
