// Ops that give elements other places: TRANSPOSE, space to depth and to batch,
// DILATE; and maps of elements (ElementMap).
//
// TRANSPOSE: output axis i is input axis permutation[i]. Constant permutation.
// Above rank 5, runs of axes that stay adjacent are one axis; if more than five
// are left, a dispatch for each of those moves one axis first.
// kInvalidArgument: not a permutation of the input's axes.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_TRANSPOSE_H_
#define GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_TRANSPOSE_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "delegate/graph/graph.h"
#include "delegate/graph/op.h"
#include "delegate/ops/movement/remap.h"

namespace gles_delegate {

// One dispatch, between folded dims.
struct TransposeStep {
  Remap remap;
  std::vector<int> input, output;
};

// out[i] = in[permutation[i]], with runs of axes that stay adjacent merged.
// `dims` are the input's.
struct FoldedTranspose {
  std::vector<int> dims;
  std::vector<int> permutation;

  FoldedTranspose(const std::vector<int>& dims,
                  const std::vector<int>& permutation);
  // Of at most five axes.
  TransposeStep Step() const;
};

// Adds the steps, of which there is at least one. Returns what the last writes.
absl::StatusOr<TensorId> AddTransposeSteps(
    Planner* planner, TensorId src, absl::Span<const TransposeStep> steps);

struct TransposeAttributes {
  std::vector<int> permutation;      // axes counted from the front
  Remap remap;                       // up to rank 5
  std::vector<TransposeStep> steps;  // above, one after the other

  // Of an input with these dims.
  static TransposeAttributes Of(const std::vector<int>& dims,
                                std::vector<int> permutation);
};

// --- REGROUP_SLICES ----------------------------------------------------------

// The slices of a tensor in batches of another size: slice s of batch b of the
// output is the texels of slice first + b * output slices + s of the input,
// counted through all of its batches. So a row of [1,1,W,H*C] becomes H rows of
// [H,1,W,C], which is what RESHAPE and TRANSPOSE do to split the heads of an
// attention, and the other way round. Not an op of models: the pass fold_heads
// makes it, and the pass view_slices removes it where readers can read the
// input itself.

struct RegroupSlicesAttributes {
  int first = 0;
};

// Both tensors have the same height and width, and multiples of four channels.
Node RegroupSlicesNode(TensorId src, TensorId dst, int first);
PlanFunction PlanRegroupSlices;

// --- Maps of elements --------------------------------------------------------

// Which element of a source each element of a tensor is: the tensor's elements
// in row-major order, as nested loops over the source. Maps follow movements
// one after the other, whatever ops they are of.

class ElementMap {
 public:
  struct Axis {
    int size = 1;
    int64_t stride = 0;  // elements of the source

    bool operator==(const Axis& o) const {
      return size == o.size && stride == o.stride;
    }
  };

  // The source itself, whose dims these are.
  explicit ElementMap(const std::vector<int>& dims);
  // These loops, the outermost first.
  explicit ElementMap(std::vector<Axis> axes, int64_t offset = 0);

  // Each makes this the map of a movement's result. False: its elements are no
  // such loops, and the map is of no use any more.
  //
  // Output `output` of the node.
  bool Follow(const Graph& graph, const Node& node, TensorId output);
  // A remap without edges and steps, of a tensor of rank <= 5.
  bool Move(const std::vector<int>& from, const Remap& remap,
            const std::vector<int>& to);
  // Repeats dims of size 1 to `to`, which are as many.
  bool Broadcast(const std::vector<int>& from, const std::vector<int>& to);
  // Of the last of `dims` only these.
  bool Narrow(const std::vector<int>& dims, int begin, int size);

  // What Follow() may know the node to move; kNoTensor: nothing.
  static TensorId SourceOf(const Node& node);

  // Equal if each element is the same one of the source, whatever the dims.
  bool operator==(const ElementMap& o) const {
    return axes_ == o.axes_ && offset_ == o.offset_;
  }
  int64_t offset() const { return offset_; }
  // None of size 1, and none that one loop could replace.
  const std::vector<Axis>& axes() const { return axes_; }
  // The source's elements of `size` bytes in the order of the map.
  std::vector<uint8_t> Gather(absl::Span<const uint8_t> source,
                              size_t size) const;

 private:
  using Axes = std::vector<Axis>;

  // The axes of each of `dims`; false: one crosses the end of a dimension.
  bool Divide(const std::vector<int>& dims, std::vector<Axes>* groups) const;
  void Join(const std::vector<Axes>& groups);

  Axes axes_;
  int64_t offset_ = 0;
};

// --- DEPTH_TO_SPACE, SPACE_TO_DEPTH ------------------------------------------

// DEPTH_TO_SPACE: each pixel's channels become a block x block square of
// pixels: [B,H,W,C] -> [B, H * block, W * block, C / (block * block)].
// SPACE_TO_DEPTH: the inverse.

// SPACE_TO_BATCH_ND moves the pixels of each block, row by row, to separate
// batches: dst[(j * block_w + i) * B + b, y, x] = src[b, y * block_h + j - top,
// x * block_w + i - left], zero outside src. BATCH_TO_SPACE_ND is its inverse,
// with crops instead of paddings. Rank 4, or rank 3 with one spatial axis.
// Constant block, paddings and crops.
struct SpaceBatchAttributes {
  int block_h = 1, block_w = 1;
  int top = 0, left = 0;  // of the paddings or crops
  float fill = 0;         // outside src
};

// DILATE: puts copies of a value between neighbors of the input, dilation - 1
// of them along each axis: extents n become (n - 1) * dilation + 1. Rank 4 at
// most; constant dilations; a constant or runtime value.
struct DilateAttributes {
  AxisArray steps = {1, 1, 1, 1, 1};
};

// --- DENSIFY -----------------------------------------------------------------

// DENSIFY of a sparse constant, always folded (FoldConstantNode,
// delegate/partition/plan_partition.h).

// The constant's elements in dense order, zero elsewhere, in the tensor's type.
// kInvalidArgument: the sparsity contradicts itself or the shape.
absl::StatusOr<std::vector<uint8_t>> DenseBytes(const Tensor& sparse);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_TRANSPOSE_H_
