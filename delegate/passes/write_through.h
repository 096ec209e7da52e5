#ifndef GLES_DELEGATE_DELEGATE_PASSES_WRITE_THROUGH_H_
#define GLES_DELEGATE_DELEGATE_PASSES_WRITE_THROUGH_H_

#include "delegate/graph/graph.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

// Drops each RESHAPE that lays the pixels of a CONV_2D as a row of smaller
// pixels, [B,H,W,K*C] as [B,H*W*K,C], where nobody else reads the convolution's
// result: the convolution writes the row in its place, and into the whole where
// the row is a part of a concatenation (MemoryView::Kind::kRows). Where C is no
// multiple of four, the convolution gets as many outputs more as the last
// texels of the smaller pixels have room for, with weights of zero.
// Only where profile.choices.read_through is 1. After ConcatInPlace, and before
// FuseDepthwise, which looks at the convolution as it is to be.
void WriteThrough(Graph* graph, const DeviceProfile& profile);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_WRITE_THROUGH_H_
