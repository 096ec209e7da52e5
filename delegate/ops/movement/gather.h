// GATHER: slices of the input along an axis, selected by indices of any rank.
// Input of float32, int32 or bool; indices int32 at run time, int32 or int64 if
// constant. With batch_dims, that many leading axes of input and indices are
// matched. At run time, indices outside the axis are clamped; TFLite fails.
//
// Constant indices without batch_dims use a table (rank <= 4); all others
// linear_gather.h (any rank).
#ifndef GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_GATHER_H_
#define GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_GATHER_H_

#include <optional>
#include <vector>

#include "delegate/graph/op.h"
#include "delegate/ops/movement/linear_gather.h"

namespace gles_delegate {

struct GatherAttributes {
  int axis = 0;  // of B, H, W, C
  std::vector<int> indices;
  Shape picked;  // the output for the indices as a vector
  std::optional<LinearGather> linear = {};  // else by a table of indices
};

// Writes the slices of `src` with these indices on an axis of B, H, W, C.
void AddGather(Planner* planner, TensorId src, TensorId dst, int axis,
               const std::vector<int>& indices);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_GATHER_H_
