#ifndef GLES_DELEGATE_DELEGATE_PASSES_FUSE_DEPTHWISE_H_
#define GLES_DELEGATE_DELEGATE_PASSES_FUSE_DEPTHWISE_H_

#include "delegate/graph/graph.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

// Makes each depthwise convolution (constant weights, multiplier 1, a window of
// at most 5x5, no post-op but a clamp) the inner stage of the 1x1 convolution
// that is its only reader, which saves a dispatch and the tensor between. Both
// must compute on real values, or both on quantized values; then the first
// one's sums are requantized by the post-ops of integer_path. Limited by
// profile.choices.fused_depthwise_work. Run it after FuseElementwise, which
// adds activations to both.
void FuseDepthwise(Graph* graph, const DeviceProfile& profile);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_FUSE_DEPTHWISE_H_
