// Merges axes that an op treats alike, to reduce ranks that exceed the GPU's
// layout.
#ifndef GLES_DELEGATE_DELEGATE_OPS_FOLD_AXES_H_
#define GLES_DELEGATE_DELEGATE_OPS_FOLD_AXES_H_

#include <vector>

#include "absl/types/span.h"

namespace gles_delegate {

// Merges neighbouring axes of `dims` with equal `flags`: extents multiply,
// linear order stays. Axes of extent 1 join either neighbour.
struct FoldedAxes {
  std::vector<int> dims;
  std::vector<bool> flags;
};
FoldedAxes FoldAxes(absl::Span<const int> dims, const std::vector<bool>& flags);

// A transpose, out[i] = in[permutation[i]], with runs of axes that stay
// adjacent merged. `dims` are the input's.
struct FoldedTranspose {
  std::vector<int> dims;
  std::vector<int> permutation;
};
FoldedTranspose FoldTranspose(absl::Span<const int> dims,
                              absl::Span<const int> permutation);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_FOLD_AXES_H_
