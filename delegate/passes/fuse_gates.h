#ifndef GLES_DELEGATE_DELEGATE_PASSES_FUSE_GATES_H_
#define GLES_DELEGATE_DELEGATE_PASSES_FUSE_GATES_H_

#include "delegate/graph/graph.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

// Leaves the MUL of a squeeze-excite block, [1,H,W,C] by a gate [1,1,1,C] that
// is computed at run time, and an ADD of one more [1,H,W,C] behind it, to the
// 1x1 convolution that alone reads the result: which computes it from what it
// reads. One dispatch less, and nothing written between.
//
// Each tile of output slices multiplies again, so only up to
// profile.choices.fused_gate_slices of them. Not where the product is an output
// of the graph, read by others (a concatenation in place among them), or
// changed by further functions; not for larger batches, whose tiles may take
// pixels of several gates; not for few pixels, which fully_connected.comp
// takes; not of 8-bit tensors, whose product is rounded to a code; not for a
// convolution that would then bind more than the device allows.
//
// After FuseElementwise and FuseDepthwise, which find more to fuse where the
// MUL stands alone.
void FuseGates(Graph* graph, const DeviceProfile& profile);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_FUSE_GATES_H_
