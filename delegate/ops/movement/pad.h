// PAD, PADV2, MIRROR_PAD: adds elements before and after each axis, batch and
// channels included, according to constant paddings [rank, 2]. The new elements
// are zeros, PADV2's third input (constant or not), or the tensor mirrored at
// its edge. Rank <= 5. Float32 or int32.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_PAD_H_
#define GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_PAD_H_

#include "delegate/graph/op.h"
#include "delegate/ops/movement/remap.h"

namespace gles_delegate {

struct PadAttributes {
  AxisArray before = {};
  AxisArray after = {};
  Remap::Edge edge = Remap::Edge::kFill;
  float value = 0;
  bool runtime_value = false;  // input 2 holds it: not constant, or int32
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_PAD_H_
