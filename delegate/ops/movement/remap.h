// Data movement: each element of a destination (or of a box in it) comes from a
// source element, whose coordinates are an affine function of the destination
// element's. So one shader, gl_shaders/movement/remap.comp, makes pads, slices,
// transposes, tiles and concatenations.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_REMAP_H_
#define GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_REMAP_H_

#include <array>

#include "absl/status/statusor.h"
#include "delegate/graph/graph.h"
#include "delegate/graph/op.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

// All arrays are in B, H, W, C, outer order (AxisArray).
struct Remap {
  // What becomes of coordinates outside the source.
  enum class Edge {
    kNone,       // there are none
    kFill,       // `fill`, or the first element of `fill_tensor`
    kReflect,    // mirrored, the edge once: 2 1 0 1 2
    kSymmetric,  // mirrored, the edge twice: 1 0 0 1 2
    kWrap,       // modulo
  };
  // source[s] = offset[s] + sum over d of per[s][d] * p[d], p in the box.
  AxisArray offset = {};
  std::array<AxisArray, 5> per = {{{1, 0, 0, 0, 0},
                                   {0, 1, 0, 0, 0},
                                   {0, 0, 1, 0, 0},
                                   {0, 0, 0, 1, 0},
                                   {0, 0, 0, 0, 1}}};
  // No coordinate of the source follows one of the destination: all of `per` is
  // zero.
  static Remap Constant();
  // Makes source axis `src` follow destination axis `dst`.
  Remap& Follow(int src, int dst, int step = 1, int first = 0);

  Edge edge = Edge::kNone;
  float fill = 0;
  TensorId fill_tensor = kNoTensor;
};

// Writes all of `dst`, by one read for each texel where channels stay together,
// else by one read for each channel.
void AddRemap(Planner* planner, TensorId src, TensorId dst, const Remap& remap);

// The attributes and the plan of the ops that are a remap of input 0 and
// nothing else: SLICE, STRIDED_SLICE, TILE, BROADCAST_TO.
struct RemapAttributes {
  Remap remap;
};
PlanFunction PlanRemap;

// Writes the box of `extent` that begins at `at`, whose channel must be a
// multiple of 4. `p` above counts from the box's corner.
void AddRemapToBox(Planner* planner, TensorId src, TensorId dst,
                   const Remap& remap, const AxisArray& extent,
                   const AxisArray& at);

// Copies `src` to `dst` in linear B,H,W,C order; their element counts agree.
void AddReshape(Planner* planner, TensorId src, TensorId dst);

// The tensor in a shape of as many elements, in linear order: itself, another
// view of a constant, or a copy. kInvalidArgument: a constant without its
// bytes.
absl::StatusOr<TensorId> AsShape(Planner* planner, TensorId id,
                                 const Shape& shape);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_REMAP_H_
