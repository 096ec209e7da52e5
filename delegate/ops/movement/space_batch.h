// SPACE_TO_BATCH_ND: the pixels of each block, counted row by row, go to as
// many batches: dst[(j * block_w + i) * B + b, y, x] = src[b, y * block_h + j -
// top, x * block_w + i - left], zero outside src. BATCH_TO_SPACE_ND is its
// inverse, crops instead of paddings. Input of rank 4, or of rank 3: one
// spatial axis. Constant block, paddings and crops.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_SPACE_BATCH_H_
#define GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_SPACE_BATCH_H_

#include "delegate/graph/op.h"

namespace gles_delegate {

struct SpaceBatchAttributes {
  int block_h = 1, block_w = 1;
  int top = 0, left = 0;  // of the paddings or crops
  float fill = 0;         // outside src
};

// kInvalidArgument: blocks below 1, negative paddings, sizes that do not
// divide, another output shape than they give.
ParseFunction ParseSpaceToBatch;
ParseFunction ParseBatchToSpace;
PlanFunction PlanSpaceToBatch;
PlanFunction PlanBatchToSpace;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_SPACE_BATCH_H_
