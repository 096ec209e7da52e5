// REVERSE_V2: reverses the order of elements along constant axes, each given
// once. Rank 1 to 5.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_REVERSE_H_
#define GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_REVERSE_H_

#include <array>

#include "delegate/graph/op.h"

namespace gles_delegate {

struct ReverseAttributes {
  std::array<bool, 5> along = {};  // as AxisArray
};

// kInvalidArgument: an axis outside the input or given twice, or an output
// shape that is not the input's.
ParseFunction ParseReverse;
PlanFunction PlanReverse;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_REVERSE_H_
