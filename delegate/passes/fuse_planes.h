#ifndef GLES_DELEGATE_DELEGATE_PASSES_FUSE_PLANES_H_
#define GLES_DELEGATE_DELEGATE_PASSES_FUSE_PLANES_H_

#include "delegate/graph/graph.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

// Makes one node (ops/conv/pointwise_depthwise.h) of each 1x1 convolution and
// the depthwise convolution (multiplier 1) that alone reads it, both of
// constant weights, where whole planes of the first one fit the shared memory
// of a work group: one dispatch less, nothing computed twice, and nothing
// written between. The first has no post-op but a clamp, or on codes its
// scaling to codes; both compute on real values, or both on codes.
//
// A work group reads the whole input, so only where pixels x input slices <=
// profile.choices.fused_plane_work. After FuseDepthwise, which takes depthwise
// convolutions of large planes and few channels.
void FusePlanes(Graph* graph, const DeviceProfile& profile);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_FUSE_PLANES_H_
