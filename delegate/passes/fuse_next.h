#ifndef GLES_DELEGATE_DELEGATE_PASSES_FUSE_NEXT_H_
#define GLES_DELEGATE_DELEGATE_PASSES_FUSE_NEXT_H_

#include "delegate/graph/graph.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

// Makes one node (ops/conv/next_pointwise.h) of each convolution and a 1x1
// convolution of its result, both of constant weights: the last convolution of
// a bottleneck and the first one of the next bottleneck, say. One dispatch
// less; both results are stored, so others may read the first one too. The 1x1
// convolution's post-ops read no tensor but a table; both compute on real
// values, or both on codes.
//
// A work group reads all weights of the 1x1 convolution, so only where texels
// of these <= profile.choices.fused_next_texels. After all passes that change
// what convolutions read.
void FuseNext(Graph* graph, const DeviceProfile& profile);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_FUSE_NEXT_H_
