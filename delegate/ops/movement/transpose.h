// TRANSPOSE: output axis i is input axis permutation[i]. Constant permutation.
// Above rank 5, runs of axes that stay adjacent are one axis; if more than five
// are left, a dispatch for each of those moves one axis first.
// kInvalidArgument: not a permutation of the input's axes.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_TRANSPOSE_H_
#define GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_TRANSPOSE_H_

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

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_TRANSPOSE_H_
