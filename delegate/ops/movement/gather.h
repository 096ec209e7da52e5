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
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "delegate/graph/graph.h"
#include "delegate/graph/op.h"
#include "delegate/ops/dispatches.h"
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
  int source = 0;  // the input; the other one has the indices
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
absl::Status AddGather(Planner* planner, TensorId src, TensorId dst, int axis,
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

// --- Functions of moved values -----------------------------------------------

// Functions of values that slices, reshapes, transposes and a concatenation of
// channels move, as one dispatch: each texel reads its values where they lie
// before the movement. A rotary embedding of an attention's heads is such a
// node. Not an op of models: the pass fuse_movement makes it.

// Where the values of texel t, in the order of elements, are in a tensor.
struct MovedRead {
  enum class Kind {
    kSame,      // the texel at the same place
    kTexels,    // texel `offset` + index * stride of four loops
    kElements,  // the same of elements, for the first of four channels
  };
  Kind kind = Kind::kSame;
  int offset = 0;
  std::array<int, 4> sizes = {1, 1, 1, 1};  // the outermost loop first
  std::array<int, 4> strides = {};
  // kElements: elements from one channel to the next; 0: one element for all.
  int step = 0;

  bool operator==(const MovedRead& o) const {
    return kind == o.kind && offset == o.offset && sizes == o.sizes &&
           strides == o.strides && step == o.step;
  }
};

// A value, of four channels.
struct MovedStep : FunctionStep {
  MovedRead read;  // of the input

  bool operator==(const MovedStep& o) const {
    return FunctionStep::operator==(o) && read == o.read;
  }
};

struct MovedFunctionsAttributes {
  static constexpr size_t kMaxParts = 4;
  // Slices of the output, up to `end`, are step `result`.
  struct Part {
    int end = 0;
    int result = 0;
  };
  std::vector<MovedStep> steps;  // each reads earlier ones
  std::vector<Part> parts;       // in order
};

PlanFunction PlanMovedFunctions;
inline constexpr OpDefinition kMovedFunctionsOp =
    OpOfPasses("MOVED_FUNCTIONS", PlanMovedFunctions);

// --- DYNAMIC_UPDATE_SLICE ----------------------------------------------------

// DYNAMIC_UPDATE_SLICE: input 0 with input 1 written over it from the place
// that input 2 names, one int32 or int64 an axis, constant or computed at run
// time. As TFLite does, the place is clamped so that the update fits. Rank up
// to 5.

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

#endif  // GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_GATHER_H_
