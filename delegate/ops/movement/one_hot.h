// ONE_HOT: a new axis of `depth` elements beside the indices', which holds
// on_value where its position is the index and off_value elsewhere; an index
// outside of it gives off_value alone. Indices int32, or int64 constants, of
// any rank; a constant depth; values of float32, int32 or bool, constant or
// not.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_ONE_HOT_H_
#define GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_ONE_HOT_H_

#include "delegate/graph/op.h"

namespace gles_delegate {

struct OneHotAttributes {
  int depth = 1;
  int inner = 1;  // elements after the new axis
};

// kInvalidArgument: no axis of the output, values of more than one element,
// another output shape than they give.
ParseFunction ParseOneHot;
PlanFunction PlanOneHot;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_ONE_HOT_H_
