// Fuses PAD with zeros into its readers: height and width into convolutions and
// poolings, channels into sums.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_FUSE_PADDING_H_
#define GLES_DELEGATE_DELEGATE_PASSES_FUSE_PADDING_H_

#include "delegate/graph/graph.h"

namespace gles_delegate {

// Applies if all readers are CONV_2D, DEPTHWISE_CONV_2D, or poolings without
// padding of their own (SAME's padding does not count as part of the window,
// these zeros do: PoolAttributes::zeros) that are not on the integer path.
// RemoveDeadNodes removes the PAD.
void FusePadding(Graph* graph);

// x + PAD(y), with fewer channels in y than in x (a shortcut around a widening
// block): the sum reads y, extended by zeros. Applies if only such sums read
// the padded tensor. Run it before FuseElementwise; RemoveDeadNodes removes the
// PAD.
void FuseChannelPadding(Graph* graph);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_FUSE_PADDING_H_
