#ifndef GLES_DELEGATE_DELEGATE_PASSES_FUSE_DEPTHWISE_H_
#define GLES_DELEGATE_DELEGATE_PASSES_FUSE_DEPTHWISE_H_

#include "delegate/graph/graph.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

// Makes one node of each depthwise convolution (constant weights, multiplier 1,
// a window of 5x5 at most, no post-op but a clamp) and the 1x1 convolution that
// alone reads it: one dispatch less, and nothing written between. Both compute
// on real values, or both on codes: then the first one's sums become codes
// before the second one multiplies them, by the post-ops that compute_on_codes
// gave it. Only as far as profile.choices.fused_depthwise_work allows. After
// FuseElementwise, which gives both their activations.
void FuseDepthwise(Graph* graph, const DeviceProfile& profile);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_FUSE_DEPTHWISE_H_
