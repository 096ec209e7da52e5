// Fuses elementwise nodes into the node that makes their input: one dispatch,
// and no tensor between.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_FUSE_ELEMENTWISE_H_
#define GLES_DELEGATE_DELEGATE_PASSES_FUSE_ELEMENTWISE_H_

#include "delegate/graph/graph.h"

namespace gles_delegate {

// A dispatch binds so many tensors at most on a minimal device: OpenGL ES 3.1
// asks for no more than four images or four buffers.
inline constexpr int kMinimalBoundTensors = 4;

// Fires where the producer has one output, only the elementwise node reads that
// output, and the node's output has the same shape. The producer moves to the
// node's place in the order, so that a function's operand is computed before. A
// function of two tensors is fused into the producer of either of them, the
// later producer first. No fused node binds more than `max_tensors` tensors and
// packed constants (MaxBoundTensors of delegate/plan/planner.h), because what a
// fused node needs is not checked when nodes are accepted.
void FuseElementwise(Graph* graph, int max_tensors = kMinimalBoundTensors);

// Gives a constant operand that is read as another shape than its own
// (RealignedFunction of delegate/ops/elementwise/elementwise.h) that shape, and
// makes the function a post-op, so that FuseElementwise can take the node.
void RealignConstants(Graph* graph);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_FUSE_ELEMENTWISE_H_
