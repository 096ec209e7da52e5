// RESHAPE, SQUEEZE, EXPAND_DIMS: the same elements in the same linear order
// under another shape, of any rank. The new shape, where an input gives it,
// must be a constant. kInvalidArgument: element counts differ, or the output is
// not the shape asked for.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_RESHAPE_H_
#define GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_RESHAPE_H_

#include "delegate/graph/op.h"

namespace gles_delegate {

ParseFunction ParseReshape;
ParseFunction ParseSqueeze;
ParseFunction ParseExpandDims;
PlanFunction PlanReshape;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_RESHAPE_H_
