// GATHER_ND: each row of the indices [..., depth] names an element of the
// input's first `depth` axes, or the slice that lies there: the output is
// indices' leading axes, then the input's trailing ones. Input of float32,
// int32 or bool and of any rank, depth 1 to 4; indices int32, or int64
// constants. At run time an index outside of its axis counts as the nearest
// inside; TFLite fails on it.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_GATHER_ND_H_
#define GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_GATHER_ND_H_

#include "delegate/graph/op.h"

namespace gles_delegate {

// kInvalidArgument: constant indices outside of the input, a depth past its
// rank, another output shape than they give.
ParseFunction ParseGatherNd;
PlanFunction PlanGatherNd;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_GATHER_ND_H_
