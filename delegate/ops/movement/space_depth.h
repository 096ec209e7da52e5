// DEPTH_TO_SPACE: each pixel's channels become a block x block square of
// pixels: [B,H,W,C] -> [B, H * block, W * block, C / (block * block)].
// SPACE_TO_DEPTH: the inverse. kInvalidArgument: sizes that are not divisible
// by the block, or a wrong output shape.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_SPACE_DEPTH_H_
#define GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_SPACE_DEPTH_H_

#include "delegate/graph/op.h"

namespace gles_delegate {

struct SpaceDepthAttributes {
  int block = 2;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_SPACE_DEPTH_H_
