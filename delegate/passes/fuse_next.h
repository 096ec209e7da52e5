#ifndef GLES_DELEGATE_DELEGATE_PASSES_FUSE_NEXT_H_
#define GLES_DELEGATE_DELEGATE_PASSES_FUSE_NEXT_H_

#include "delegate/graph/graph.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

// Makes a 1x1 convolution the next stage of the convolution whose result it
// takes, if both have constant weights: typically the first convolution of a
// bottleneck, after the last of the one before. Saves a dispatch; both results
// are stored, so that the first may have other readers. The 1x1 convolution's
// post-ops may read only a table; both compute on real values, or both on
// quantized values.
//
// A work group reads all weights of the 1x1 convolution, so these may have at
// most profile.choices.fused_next_texels texels. Run it after all passes that
// change what convolutions read.
void FuseNext(Graph* graph, const DeviceProfile& profile);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_FUSE_NEXT_H_
