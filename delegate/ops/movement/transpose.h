// TRANSPOSE: output axis i is input axis permutation[i]. Constant permutation.
// Above rank 5, runs of axes that stay adjacent are one axis; if more than five
// are left, a dispatch for each of those moves one axis first.
// kInvalidArgument: not a permutation of the input's axes, or a wrong output
// shape.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_TRANSPOSE_H_
#define GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_TRANSPOSE_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
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

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_TRANSPOSE_H_
