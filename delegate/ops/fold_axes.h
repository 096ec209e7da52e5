// Merges axes that an op treats alike, to reduce ranks that exceed the GPU's
// layout.
#ifndef GLES_DELEGATE_DELEGATE_OPS_FOLD_AXES_H_
#define GLES_DELEGATE_DELEGATE_OPS_FOLD_AXES_H_

#include <cstddef>
#include <optional>
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

// Where axis `axis` >= 0 of a tensor of any rank is, above rank 5 with the axes
// before the last three folded.
struct AxisPlace {
  int axis = 0;   // of AxisArray
  int outer = 0;  // the extent of the outer axis; 0: the tensor's own
  int step = 1;   // indices of `axis` for one of the tensor's axis
};
AxisPlace PlaceOfAxis(absl::Span<const int> dims, int axis);

// Above rank 5: the axes before the last four, as one.
int OuterOfFive(absl::Span<const int> dims);

// Makes five axes of more: those before the last three become two. `fold` makes
// one Axis of a span of them, which may be empty; nullopt: it cannot.
template <typename Axis, typename Fold>
std::optional<std::vector<Axis>> FoldToFive(const std::vector<Axis>& axes,
                                            Fold fold) {
  const size_t rest = axes.size() - 3;
  const auto span = absl::MakeConstSpan(axes);
  for (size_t split = 0; split <= rest; ++split) {
    const std::optional<Axis> outer = fold(span.first(split));
    const std::optional<Axis> batch = fold(span.subspan(split, rest - split));
    if (!outer || !batch) continue;
    std::vector<Axis> folded = {*outer, *batch};
    folded.insert(folded.end(), axes.end() - 3, axes.end());
    return folded;
  }
  return std::nullopt;
}

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_FOLD_AXES_H_
