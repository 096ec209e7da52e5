// DYNAMIC_UPDATE_SLICE: input 0 with input 1 written over it from the place
// that input 2 names, one int32 or int64 an axis, constant or computed at run
// time. As TFLite does, the place is clamped so that the update fits. Rank up
// to 5.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_DYNAMIC_UPDATE_SLICE_H_
#define GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_DYNAMIC_UPDATE_SLICE_H_

#include <memory>

#include "delegate/graph/graph.h"
#include "delegate/graph/op.h"
#include "delegate/ops/movement/moved_functions.h"

namespace gles_delegate {

// Of tensors as the model has them: passes may give them other dims.
struct UpdateSlice {
  AxisArray extents = {1, 1, 1, 1, 1};  // of the input
  AxisArray box = {1, 1, 1, 1, 1};      // of the update
  // The start's element for each axis; -1: the input has no such axis.
  AxisArray which = {-1, -1, -1, -1, -1};
  // The output lies in the input's memory: only the update is written.
  bool in_place = false;
  // The update, which then is no tensor (input 1 is absent), of this shape;
  // what it reads are the inputs from 3 on (delegate/passes/fuse_movement.cc).
  std::shared_ptr<const MovedFunctionsAttributes> moved;
  Shape moved_shape = {};

  bool CoversChannels() const {
    return box[kChannelAxis] == extents[kChannelAxis];
  }
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_DYNAMIC_UPDATE_SLICE_H_
