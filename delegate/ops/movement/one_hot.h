// ONE_HOT: adds an axis of `depth` elements to the indices, with on_value at
// the index and off_value elsewhere; indices outside give off_value only.
// Indices int32, or int64 constants, of any rank; a constant depth; values of
// float32, int32 or bool, constant or not.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_ONE_HOT_H_
#define GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_ONE_HOT_H_

#include "delegate/graph/op.h"

namespace gles_delegate {

struct OneHotAttributes {
  int depth = 1;
  int inner = 1;  // elements after the new axis
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_ONE_HOT_H_
