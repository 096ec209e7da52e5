// Elementwise nodes into the node that makes their input: one dispatch, and no
// tensor between.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_FUSE_ELEMENTWISE_H_
#define GLES_DELEGATE_DELEGATE_PASSES_FUSE_ELEMENTWISE_H_

#include "delegate/graph/graph.h"

namespace gles_delegate {

// Tensors that a minimal device (ES 3.1: four images or four buffers) binds at
// once in a dispatch.
inline constexpr int kMinimalBoundTensors = 4;

// Fires where the producer has one output that only this node reads, of the
// same shape as the result. The producer moves to the node's place, so that the
// function's operand, if any, is there. Functions of two tensors go to either
// operand's producer, the later one first. A fused graph is not checked node by
// node, hence `max_tensors`.
void FuseElementwise(Graph* graph, int max_tensors = kMinimalBoundTensors);

// Functions whose constant operand had to be read as another shape
// (delegate/ops/elementwise/elementwise.h) become post-ops of a constant of that shape, so
// that FuseElementwise can take them.
void RealignConstants(Graph* graph);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_FUSE_ELEMENTWISE_H_
