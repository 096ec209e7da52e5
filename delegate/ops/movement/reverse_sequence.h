// REVERSE_SEQUENCE: y = x, in which the first elements along one axis, as many
// as input 1 says for each index of another axis, stand in reverse order. Rank
// 2 to 4. The lengths are constant or computed at run time; at run time a
// length past the axis counts as all of it, and TFLite fails on it.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_REVERSE_SEQUENCE_H_
#define GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_REVERSE_SEQUENCE_H_

#include "delegate/graph/op.h"

namespace gles_delegate {

struct ReverseSequenceAttributes {
  int sequence_axis = 0;  // of AxisArray
  int batch_axis = 0;     // likewise
};

// kInvalidArgument: axes outside the input or one axis for both, lengths that
// are not one for each index of the batch axis or, constant ones, outside the
// axis, another output shape than the input's.
ParseFunction ParseReverseSequence;
PlanFunction PlanReverseSequence;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_REVERSE_SEQUENCE_H_
