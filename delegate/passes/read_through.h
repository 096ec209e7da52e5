#ifndef GLES_DELEGATE_DELEGATE_PASSES_READ_THROUGH_H_
#define GLES_DELEGATE_DELEGATE_PASSES_READ_THROUGH_H_

#include "delegate/graph/graph.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

// Removes nodes whose results are read only by convolutions, or only by the
// dispatch that reads back a graph output, if these can read the node's source
// instead (MemoryView::Kind). Saves one dispatch each:
// - DEPTH_TO_SPACE to whole slices: any convolutions, or the readback.
// - RESIZE_BILINEAR of real values: one 1x1 convolution from shared memory,
//   which reads each texel once for all output slices of a work group, or the
//   readback.
// - MAX_POOL_2D of at most 2x2 without post-ops: one convolution with a post-op
//   that has the result as its operand, pixel by pixel.
//
// Requires profile.choices.read_through. Run it after all passes that change
// what convolutions read, and before FuseNext, which depends on their
// strategies.
void ReadThrough(Graph* graph, const DeviceProfile& profile);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_READ_THROUGH_H_
