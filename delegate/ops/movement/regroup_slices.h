// The slices of a tensor in batches of another size: slice s of batch b of the
// output is the texels of slice first + b * output slices + s of the input,
// counted through all of its batches. So a row of [1,1,W,H*C] becomes H rows of
// [H,1,W,C], which is what RESHAPE and TRANSPOSE do to split the heads of an
// attention, and the other way round. Not an op of models: the pass fold_heads
// makes it, and the pass view_slices removes it where readers can read the
// input itself.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_REGROUP_SLICES_H_
#define GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_REGROUP_SLICES_H_

#include "delegate/graph/graph.h"
#include "delegate/graph/op.h"

namespace gles_delegate {

struct RegroupSlicesAttributes {
  int first = 0;
};

// Both tensors have the same height and width, and multiples of four channels.
Node RegroupSlicesNode(TensorId src, TensorId dst, int first);
PlanFunction PlanRegroupSlices;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_REGROUP_SLICES_H_
