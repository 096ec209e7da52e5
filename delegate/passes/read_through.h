#ifndef GLES_DELEGATE_DELEGATE_PASSES_READ_THROUGH_H_
#define GLES_DELEGATE_DELEGATE_PASSES_READ_THROUGH_H_

#include "delegate/graph/graph.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

// Drops nodes whose results only convolutions read, or only the dispatch that
// hands the graph's output to the host, where these can read the node's source
// in its place (MemoryView::Kind): one dispatch less each.
// - DEPTH_TO_SPACE to whole slices: any convolutions, or the readback.
// - RESIZE_BILINEAR of real values: one 1x1 convolution from shared memory,
//   which reads each texel once for all output slices of a work group, or the
//   readback.
// - MAX_POOL_2D of at most 2x2, without a function: one convolution, one of
//   whose post-ops takes the result as its operand, pixel by pixel.
// Only where profile.choices.read_through is 1. After all passes that change
// what convolutions read, and before FuseNext, which looks at how each of them
// is computed.
void ReadThrough(Graph* graph, const DeviceProfile& profile);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_READ_THROUGH_H_
