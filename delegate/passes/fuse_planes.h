#ifndef GLES_DELEGATE_DELEGATE_PASSES_FUSE_PLANES_H_
#define GLES_DELEGATE_DELEGATE_PASSES_FUSE_PLANES_H_

#include "delegate/graph/graph.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

// Makes each 1x1 convolution the inner stage of the depthwise convolution
// (multiplier 1) that is its only reader, if both have constant weights and
// whole planes fit the shared memory of a work group. Saves a dispatch and a
// tensor without computing anything twice. The first may have a clamp as its
// only post-op, or requantization; both compute on real values, or both on
// quantized values.
//
// A work group reads the whole input, so pixels x input slices may be at most
// profile.choices.fused_plane_work. Run it after FuseDepthwise, which takes
// depthwise convolutions with large planes and few channels.
void FusePlanes(Graph* graph, const DeviceProfile& profile);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_FUSE_PLANES_H_
