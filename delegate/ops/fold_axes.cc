#include "delegate/ops/fold_axes.h"

#include <cstddef>
#include <functional>
#include <numeric>

#include "delegate/graph/graph.h"

namespace gles_delegate {
namespace {

int ProductOf(absl::Span<const int> dims) {
  return std::accumulate(dims.begin(), dims.end(), 1, std::multiplies<int>());
}

}  // namespace

FoldedAxes FoldAxes(absl::Span<const int> dims,
                    const std::vector<bool>& flags) {
  FoldedAxes folded;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 1) continue;
    if (!folded.dims.empty() && folded.flags.back() == flags[i]) {
      folded.dims.back() *= dims[i];
    } else {
      folded.dims.push_back(dims[i]);
      folded.flags.push_back(flags[i]);
    }
  }
  return folded;
}

FoldedTranspose FoldTranspose(absl::Span<const int> dims,
                              absl::Span<const int> permutation) {
  // Axes of extent 1 may go anywhere: leave them out.
  std::vector<int> order;
  for (int axis : permutation) {
    if (dims[axis] != 1) order.push_back(axis);
  }
  std::vector<int> previous(dims.size(),
                            -1);  // of the input's axes, without 1s
  int last = -1;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 1) continue;
    previous[i] = last;
    last = static_cast<int>(i);
  }
  std::vector<bool> joins(dims.size(), false);  // the axis before it, in both
  for (size_t i = 1; i < order.size(); ++i) {
    joins[order[i]] = previous[order[i]] == order[i - 1];
  }
  FoldedTranspose folded;
  std::vector<int> group(dims.size(), -1);
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 1) continue;
    if (joins[i]) {
      folded.dims.back() *= dims[i];
    } else {
      folded.dims.push_back(dims[i]);
    }
    group[i] = static_cast<int>(folded.dims.size()) - 1;
  }
  for (int axis : order) {
    if (!joins[axis]) folded.permutation.push_back(group[axis]);
  }
  return folded;
}

AxisPlace PlaceOfAxis(absl::Span<const int> dims, int axis) {
  const int rank = static_cast<int>(dims.size());
  if (rank <= 5) return {BhwcAxis(axis, rank)};
  if (axis >= rank - 3) return {BhwcAxis(axis - rank, 4)};
  return {kBatchAxis, ProductOf(dims.first(axis)),
          ProductOf(dims.subspan(axis + 1, rank - 3 - (axis + 1)))};
}

int OuterOfFive(absl::Span<const int> dims) {
  return ProductOf(dims.first(dims.size() - 4));
}

}  // namespace gles_delegate
