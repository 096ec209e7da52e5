// Queries shared by the passes that fuse two nodes.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_FUSING_H_
#define GLES_DELEGATE_DELEGATE_PASSES_FUSING_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
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

// The most post-ops that passes give a node. A driver takes longer the longer a
// program is: llvmpipe's compiler 0.1 s for each TANH or SIN, and past a
// hundred more than in proportion. No known model has more than 8 in a node.
inline constexpr size_t kMaxPostOps = 16;
// Whether a pass may add `more` post-ops to `ops`.
bool HasRoomFor(size_t more, const std::vector<PostOp>& ops);

// Whether the device has room for a node of two convolutions, and can bind
// everything that it uses: one input, one output, both weights, and operands.
bool CanPlanAsPair(const Node& node, Graph* graph,
                   const DeviceProfile& profile);

// For each node whose result one other node alone reads (OnlyReader): `fuse`
// returns both as one node, which takes the reader's place; nullopt: they stay
// two.
void FuseIntoReaders(
    Graph* graph,
    absl::FunctionRef<std::optional<Node>(const Node& node, const Node& reader)>
        fuse);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_FUSING_H_
