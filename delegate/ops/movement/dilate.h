// DILATE: puts copies of a value between neighbors of the input, dilation - 1
// of them along each axis: extents n become (n - 1) * dilation + 1. Rank 4 at
// most; constant dilations; a constant or runtime value.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_DILATE_H_
#define GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_DILATE_H_

#include "delegate/graph/op.h"

namespace gles_delegate {

struct DilateAttributes {
  AxisArray steps = {1, 1, 1, 1, 1};
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_DILATE_H_
