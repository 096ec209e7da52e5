// REVERSE_V2: reverses the order of elements along constant axes, each given
// once.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_REVERSE_H_
#define GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_REVERSE_H_

#include "delegate/graph/op.h"

namespace gles_delegate {

// kInvalidArgument: an axis outside the input or given twice, or an output
// shape that is not the input's.
ParseFunction ParseReverse;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_REVERSE_H_
