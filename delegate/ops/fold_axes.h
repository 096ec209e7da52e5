// Axes that an op treats alike, merged into one: how ranks past what the GPU's
// layout names come down to it.
#ifndef GLES_DELEGATE_DELEGATE_OPS_FOLD_AXES_H_
#define GLES_DELEGATE_DELEGATE_OPS_FOLD_AXES_H_

#include <vector>

#include "absl/types/span.h"

namespace gles_delegate {

// Neighbouring axes of `dims` with equal `flags`, merged: their extents
// multiply and linear order stays. Axes of extent 1 join either neighbour.
struct FoldedAxes {
  std::vector<int> dims;
  std::vector<bool> flags;
};
FoldedAxes FoldAxes(absl::Span<const int> dims, const std::vector<bool>& flags);

// A transpose, out[i] = in[permutation[i]], with the runs of axes that stay
// together merged. `dims` are the input's.
struct FoldedTranspose {
  std::vector<int> dims;
  std::vector<int> permutation;
};
FoldedTranspose FoldTranspose(absl::Span<const int> dims,
                              absl::Span<const int> permutation);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_FOLD_AXES_H_
