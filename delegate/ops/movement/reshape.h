// RESHAPE, SQUEEZE, EXPAND_DIMS: the same elements in the same linear order in
// another shape, of any rank. A shape given as an input must be constant.
// kInvalidArgument: different element counts, or an output of another shape
// than requested.
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
