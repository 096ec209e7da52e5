// GATHER: slices of the input along an axis, selected by indices of any rank.
// Input of float32, int32 or bool; indices int32 at run time, int32 or int64 if
// constant. With batch_dims, that many leading axes of input and indices are
// matched. At run time, indices outside the axis are clamped; TFLite fails.
//
// Constant indices without batch_dims use a table (rank <= 4); all others
// LinearGather (any rank).
#ifndef GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_GATHER_H_
#define GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_GATHER_H_

#include <array>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "delegate/graph/op.h"
#include "delegate/ops/reduction/reduction.h"

namespace gles_delegate {

// Slices of `inner` elements at `count` indices of `depth` components, one for
// each of `extents`.
struct IndexedSlices {
  int count = 1;
  int inner = 1;
  int depth = 1;
  std::array<int, 4> extents = {1, 1, 1, 1};
};

// GATHER_ND, and GATHER with indices computed at run time or batches. In linear
// element order the source is [batch, outer, extents..., inner], the indices
// [batch, count, depth] and the output [batch, outer, count, inner].
struct LinearGather : IndexedSlices {
  int outer = 1;
};

// The indices as an int32 tensor; converts an int64 constant.
absl::StatusOr<TensorId> IndicesAsInt32(Planner* planner, TensorId id);

struct GatherAttributes {
  int axis = 0;  // of B, H, W, C
  std::vector<int> indices;
  Shape picked;  // the output for the indices as a vector
  std::optional<LinearGather> linear = {};  // else by a table of indices
};

// Writes the slices of `src` with these indices on an axis of B, H, W, C.
void AddGather(Planner* planner, TensorId src, TensorId dst, int axis,
               const std::vector<int>& indices);

// ONE_HOT: adds an axis of `depth` elements to the indices, with on_value at
// the index and off_value elsewhere; indices outside give off_value only.
// Indices int32, or int64 constants, of any rank; a constant depth; values of
// float32, int32 or bool, constant or not.
struct OneHotAttributes {
  int depth = 1;
  int inner = 1;  // elements after the new axis
};

// --- SCATTER_ND, segments ----------------------------------------------------

// SCATTER_ND: adds each slice of the updates to zeros at its index, in order of
// the indices, as TFLite does. Input 0: indices [..., depth] into up to 4
// leading axes of the output, int32, or int64 constants; input 1: updates [...,
// trailing axes], float32, or int32, with sums modulo 2^32; input 2: the
// output's shape. At run time, indices outside their axis are ignored; TFLite
// fails.

// In linear element order the updates are [count, inner], the indices [count,
// depth] and the output [extents..., inner].
struct Scatter : IndexedSlices {
  int indices_input = 0;
  int updates_input = 1;
  // Of the values at one index. Elements without any are 0 of a sum, 1 of a
  // product, and of extremes the type's other extreme.
  Reducer reducer = Reducer::kSum;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_GATHER_H_
