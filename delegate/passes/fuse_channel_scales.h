#ifndef GLES_DELEGATE_DELEGATE_PASSES_FUSE_CHANNEL_SCALES_H_
#define GLES_DELEGATE_DELEGATE_PASSES_FUSE_CHANNEL_SCALES_H_

#include "delegate/graph/graph.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

// Fuses the MUL of a squeeze-excite block, [1,H,W,C] by a channel scale
// [1,1,1,C] computed at run time, and an optional ADD of another [1,H,W,C]
// after it, into the 1x1 convolution that is its only reader, which saves
// dispatches and a tensor.
//
// Requires profile.choices.read_through. Not fused:
// - convolutions with many output slices, since each tile repeats the
//   multiplication, and those that would exceed the device's bindings;
// - products that are graph outputs, have other readers (such as a
//   concatenation in place) or post-ops;
// - batches above 1, whose tiles may cover several scales;
// - few pixels, which gemv_by_lanes.comp handles;
// - 8-bit tensors, whose product is rounded.
//
// Run it after FuseElementwise and FuseDepthwise, which find more to fuse if
// the MUL is still a separate node.
void FuseChannelScales(Graph* graph, const DeviceProfile& profile);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_FUSE_CHANNEL_SCALES_H_
