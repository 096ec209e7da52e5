#ifndef GLES_DELEGATE_DELEGATE_PASSES_WRITE_THROUGH_H_
#define GLES_DELEGATE_DELEGATE_PASSES_WRITE_THROUGH_H_

#include "delegate/graph/graph.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

// Removes a RESHAPE that lays out the pixels of a CONV_2D as a row of smaller
// pixels, [B,H,W,K*C] as [B,H*W*K,C], if it is the only reader. The convolution
// then writes the row directly, also as part of a concatenation
// (MemoryView::Kind::kRows). If C is not a multiple of four, the convolution
// gets extra outputs with zero weights for the padding of the smaller pixels.
// Requires profile.choices.read_through. Run it after ConcatInPlace and before
// FuseDepthwise, which looks at the final convolution.
void WriteThrough(Graph* graph, const DeviceProfile& profile);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_WRITE_THROUGH_H_
