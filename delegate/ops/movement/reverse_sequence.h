// REVERSE_SEQUENCE: reverses the first elements along one axis; input 1 has
// their number for each index of another axis. Rank 2 to 4. Lengths are
// constant or computed at run time; then, lengths above the extent are clamped,
// for which TFLite fails.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_REVERSE_SEQUENCE_H_
#define GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_REVERSE_SEQUENCE_H_

#include "delegate/graph/op.h"

namespace gles_delegate {

struct ReverseSequenceAttributes {
  int sequence_axis = 0;  // of AxisArray
  int batch_axis = 0;     // of AxisArray
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_REVERSE_SEQUENCE_H_
