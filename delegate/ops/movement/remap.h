// Affine data movement: each element of a destination, or of a box in it, comes
// from a source element whose coordinates are an affine function of the
// destination's. One shader, gl_shaders/movement/remap.comp, thus implements
// pads, slices, transposes, tiles and concatenations.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_REMAP_H_
#define GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_REMAP_H_

#include <array>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "delegate/graph/graph.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

// All arrays are in B, H, W, C, outer order (AxisArray).
struct Remap {
  // Treatment of coordinates outside the source.
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
  // All destination elements come from one source element: `per` is zero.
  static Remap Constant();
  // Makes source axis `src` depend on destination axis `dst`.
  Remap& Follow(int src, int dst, int step = 1, int first = 0);

  Edge edge = Edge::kNone;
  float fill = 0;
  TensorId fill_tensor = kNoTensor;

  // The extents of the outer axis if they are not those of the tensors' dims:
  // above rank 5.
  int src_outer = 0, dst_outer = 0;
};

// Writes all of `dst`, with one read per texel if channels stay together, else
// one per channel.
absl::Status AddRemap(Planner* planner, TensorId src, TensorId dst,
                      const Remap& remap);

// Attributes and plan (PlanRemap) of ops whose outputs are each a remap of one
// input: SLICE, STRIDED_SLICE, TILE, BROADCAST_TO, REVERSE_V2, SPLIT, PAD, ...
struct RemapAttributes {
  std::vector<Remap> remaps;  // one for each output
  int source = 0;             // index of the input
  // If not empty: the input's batch for each batch of what is remapped.
  std::vector<int> batches = {};
  // The input that has Remap::fill_tensor; -1: Remap::fill, a constant float.
  int fill_input = -1;
};

// Writes the box of size `extent` at `at`, whose channel must be a multiple of
// 4. `p` above is relative to the box.
absl::Status AddRemapToBox(Planner* planner, TensorId src, TensorId dst,
                           const Remap& remap, const AxisArray& extent,
                           const AxisArray& at);

// Copies `src` to `dst` in linear BHWC order; both have equally many elements.
absl::Status AddReshape(Planner* planner, TensorId src, TensorId dst);

// Lets `add` write `dst`, or a temporary tensor of `shape` that is then
// reshaped to it: dropping an axis may put the others elsewhere in B, H, W, C.
template <typename Add>
absl::Status AddInShape(Planner* planner, absl::string_view name,
                        const Shape& shape, TensorId dst, const Add& add) {
  if (planner->shape(dst) == shape) return add(dst);
  const TensorId made =
      planner->AddTemporary(name, shape, planner->tensor(dst).type);
  RETURN_IF_ERROR(add(made));
  return AddReshape(planner, made, dst);
}

// The tensor in a shape with equally many elements, in linear order: itself, a
// constant relabelled, or a copy. kInvalidArgument: a constant without its
// bytes.
absl::StatusOr<TensorId> AsShape(Planner* planner, TensorId id,
                                 const Shape& shape);

// --- Axes by themselves ------------------------------------------------------

// Movements of each axis by itself, of tensors of any rank: slices, repetitions
// and reversals.

// Element i of the output's axis is element (first + step * i) modulo `in` of
// the input's. If that passes the input's end, the input is repeated from its
// first element to its last: first is 0 and step 1.
struct AxisMove {
  int in = 1, out = 1;  // extents
  int first = 0, step = 1;
};

// The linear index of the input's element, for each element of the output.
std::vector<int> LinearSources(absl::Span<const AxisMove> axes);

// --- REVERSE_V2, REVERSE_SEQUENCE --------------------------------------------

// REVERSE_SEQUENCE: reverses the first elements along one axis; input 1 has
// their number for each index of another axis. Rank 2 to 4. Lengths are
// constant or computed at run time; then, lengths above the extent are clamped,
// for which TFLite fails.

struct ReverseSequenceAttributes {
  int sequence_axis = 0;  // of AxisArray
  int batch_axis = 0;     // of AxisArray
};

// --- CONCATENATION -----------------------------------------------------------

// CONCATENATION along any axis, with a fused activation. Any number of inputs,
// constants included.

struct ConcatenationAttributes {
  int axis = 3;   // of AxisArray
  int outer = 0;  // of ExtentsOf()
};

// Writes `inputs`, in order, along `axis` (of AxisArray) of `output`. If every
// channel offset is a multiple of 4, each dispatch copies one input; otherwise
// a dispatch writes whole texels from up to three inputs.
absl::Status AddConcatenation(Planner* planner, std::vector<TensorId> inputs,
                              TensorId output, int axis);

// --- PACK --------------------------------------------------------------------

// PACK: stacks inputs of one shape along a new axis, of any number and rank,
// constants included.

struct PackAttributes {
  int axis = 0;           // of the output's AxisArray
  int step = 1;           // an input's extent there
  std::vector<int> view;  // an input's dims with the new axis, of extent 1
  Remap remap;            // from the input to that view
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_REMAP_H_
