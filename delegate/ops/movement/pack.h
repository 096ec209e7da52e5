// PACK: stacks inputs of one shape along a new axis, of any number and rank,
// constants included. kInvalidArgument: different input
// shapes, or a wrong output shape.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_PACK_H_
#define GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_PACK_H_

#include <vector>

#include "delegate/graph/op.h"
#include "delegate/ops/movement/remap.h"

namespace gles_delegate {

struct PackAttributes {
  int axis = 0;           // of the output's AxisArray
  int step = 1;           // an input's extent there
  std::vector<int> view;  // an input's dims with the new axis, of extent 1
  Remap remap;            // from the input to that view
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_PACK_H_
