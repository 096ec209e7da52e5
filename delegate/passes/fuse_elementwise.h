// Elementwise nodes into the node that makes their input: one dispatch, and no
// tensor between.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_FUSE_ELEMENTWISE_H_
#define GLES_DELEGATE_DELEGATE_PASSES_FUSE_ELEMENTWISE_H_

#include "delegate/graph.h"

namespace gles_delegate {

// Fires where the producer has one output that only this node reads, of the
// same shape as the result, and the function's operand, if any, exists before
// the producer runs. Functions of two tensors go to either operand's producer.
void FuseElementwise(Graph* graph);

// Functions whose constant operand had to be read as another shape
// (delegate/ops/elementwise.h) become post-ops of a constant of that shape, so
// that FuseElementwise can take them.
void RealignConstants(Graph* graph);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_FUSE_ELEMENTWISE_H_
