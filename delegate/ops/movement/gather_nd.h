// GATHER_ND: each row of the indices [..., depth] selects an element or slice
// at the input's first `depth` axes: the output has the indices' leading axes,
// then the input's trailing ones. Input of float32, int32 or bool and any rank,
// depth 1 to 4; indices int32, or int64 constants. At run time, indices outside
// their axis are clamped; TFLite fails.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_GATHER_ND_H_
#define GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_GATHER_ND_H_

#include "delegate/graph/op.h"

namespace gles_delegate {

// kInvalidArgument: constant indices outside the input, a depth above its rank,
// or a wrong output shape.
ParseFunction ParseGatherNd;
PlanFunction PlanGatherNd;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_GATHER_ND_H_
