// DEPTH_TO_SPACE: each pixel's channels become a block x block square of
// pixels: [B,H,W,C] -> [B, H * block, W * block, C / (block * block)].
// SPACE_TO_DEPTH: the inverse.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_SPACE_DEPTH_H_
#define GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_SPACE_DEPTH_H_

#include "delegate/graph/op.h"

namespace gles_delegate {

struct SpaceDepthAttributes {
  int block = 2;
};

// SPACE_TO_BATCH_ND moves the pixels of each block, row by row, to separate
// batches: dst[(j * block_w + i) * B + b, y, x] = src[b, y * block_h + j - top,
// x * block_w + i - left], zero outside src. BATCH_TO_SPACE_ND is its inverse,
// with crops instead of paddings. Rank 4, or rank 3 with one spatial axis.
// Constant block, paddings and crops.
struct SpaceBatchAttributes {
  int block_h = 1, block_w = 1;
  int top = 0, left = 0;  // of the paddings or crops
  float fill = 0;         // outside src
};

// DILATE: puts copies of a value between neighbors of the input, dilation - 1
// of them along each axis: extents n become (n - 1) * dilation + 1. Rank 4 at
// most; constant dilations; a constant or runtime value.
struct DilateAttributes {
  AxisArray steps = {1, 1, 1, 1, 1};
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_SPACE_DEPTH_H_
