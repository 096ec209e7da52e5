// PAD by zeros into what reads it: of height and width into convolutions and
// poolings, of channels into sums.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_FUSE_PADDING_H_
#define GLES_DELEGATE_DELEGATE_PASSES_FUSE_PADDING_H_

#include "delegate/graph/graph.h"

namespace gles_delegate {

// Fires where all that read the padded tensor are CONV_2D, DEPTHWISE_CONV_2D,
// or poolings that pad nothing themselves (SAME's padding is no part of the
// window, these zeros are: PoolAttributes::zeros) and do not work on codes. The
// PAD stays, dead, for RemoveDeadNodes.
void FusePadding(Graph* graph);

// x + PAD(y), y having fewer channels than x (a shortcut around a block that
// widens): the sum reads y, which ends in zeros. Fires where only such sums
// read the padded tensor. Before FuseElementwise; the PAD stays, dead.
void FuseChannelPadding(Graph* graph);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_FUSE_PADDING_H_
