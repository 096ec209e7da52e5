#ifndef GLES_DELEGATE_DELEGATE_PASSES_FUSE_SQUEEZE_EXCITE_H_
#define GLES_DELEGATE_DELEGATE_PASSES_FUSE_SQUEEZE_EXCITE_H_

#include "delegate/graph/graph.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

// Fuses a mean over the plane, the 1x1 convolution or matrix product that is
// its only reader, and the next one if it is the only reader of that, into one
// node (ops/conv/squeeze_excite.h). Saves one or two dispatches. A node before
// it that only the mean reads becomes its input stage.
//
// One work group computes it, so it may read at most
// profile.choices.fused_squeeze_texels texels, weights included. Not for 8-bit
// tensors, for a function with an operand between the products, nor for weights
// computed at run time.
//
// Run it last: only after fuse_inputs has moved the sum of the scaled tensor
// into the next convolution is the mean the only reader of that sum.
void FuseSqueezeExcite(Graph* graph, const DeviceProfile& profile);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_FUSE_SQUEEZE_EXCITE_H_
