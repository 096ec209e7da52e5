// SLICE: `size` elements from `begin` on each axis (size -1: to the end).
// STRIDED_SLICE: every stride-th element from begin to end, in either
// direction, with all masks: begin, end, ellipsis, new axis, shrink axis. Rank
// <= 5 (SLICE: or more, if axes before the last three fold into two); constant
// begin, end, size, strides. kInvalidArgument: a slice outside
// the input, or a wrong output shape.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_SLICE_H_
#define GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_SLICE_H_

#include "delegate/graph/op.h"
#include "delegate/ops/movement/remap.h"

namespace gles_delegate {

ParseFunction ParseSlice;
ParseFunction ParseStridedSlice;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_SLICE_H_
