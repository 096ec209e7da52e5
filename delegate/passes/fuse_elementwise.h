// Fuses elementwise nodes into the producer of their input, which saves a
// dispatch and a tensor.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_FUSE_ELEMENTWISE_H_
#define GLES_DELEGATE_DELEGATE_PASSES_FUSE_ELEMENTWISE_H_

#include "delegate/graph/graph.h"

namespace gles_delegate {

// Tensors that a dispatch may bind on a minimal device: OpenGL ES 3.1
// guarantees only four images or four buffers.
inline constexpr int kMinimalBoundTensors = 4;

// Fuses if the producer has one output, only the elementwise node reads it, and
// the node's output has the same shape. The producer moves to the node's place
// in the order, so that operands are computed before. A function of two tensors
// is fused into the later of the two producers if possible. No fused node binds
// more than `max_tensors` tensors and packed constants (MaxBoundTensors of
// delegate/plan/planner.h), since fused nodes are not checked again, or has
// more than kMaxPostOps (delegate/passes/fusing.h). Of a loop, it fuses whole
// steps (Tensor::nodes_of_step).
void FuseElementwise(Graph* graph, int max_tensors = kMinimalBoundTensors);

// Makes a function whose operand is read in another shape (RealignedFunction of
// delegate/ops/elementwise/elementwise.h) a post-op, so that FuseElementwise
// can take the node: a constant gets that shape, another operand may have it by
// now. If the source is read in another shape, the node becomes a RESHAPE of it
// with the function as a post-op: one dispatch, not two.
void RealignOperands(Graph* graph);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_FUSE_ELEMENTWISE_H_
