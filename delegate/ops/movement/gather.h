// GATHER: the input's slices along an axis, picked by indices of any rank.
// Input of float32, int32 or bool. Indices are int32 at run time, int32 or
// int64 where constant. With batch_dims, the first so many axes of input and
// indices are walked together. At run time an index outside of the axis counts
// as the nearest inside; TFLite fails on it.
//
// Constant indices without batch_dims go through a table, by rank <= 4; the
// rest by linear_gather.h, of any rank.
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
  Shape picked;  // the output, were the indices a vector
  std::optional<LinearGather> linear = {};  // else by the table of `indices`
};

// kInvalidArgument: constant indices outside the axis, batches that differ, or
// another output shape than they give.
ParseFunction ParseGather;
PlanFunction PlanGather;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_GATHER_H_
