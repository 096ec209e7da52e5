#ifndef GLES_DELEGATE_DELEGATE_PASSES_FUSE_SQUEEZE_EXCITE_H_
#define GLES_DELEGATE_DELEGATE_PASSES_FUSE_SQUEEZE_EXCITE_H_

#include "delegate/graph/graph.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

// Makes one node (ops/conv/squeeze_excite.h) of a mean over the plane, the 1x1
// convolution or matrix product that alone reads it, and the next one that
// alone reads that, if there is one: one or two dispatches less. An ADD that
// the mean alone reads goes along.
//
// One work group computes it, so only where it reads no more texels, weights
// among them, than profile.choices.fused_squeeze_texels. Not of 8-bit tensors;
// not where a function with an operand stands between the two products; not
// where weights are computed at run time.
//
// Last: an ADD is read by the mean alone once fuse_gates has left the gated
// tensor's sum to the convolution behind it.
void FuseSqueezeExcite(Graph* graph, const DeviceProfile& profile);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_FUSE_SQUEEZE_EXCITE_H_
