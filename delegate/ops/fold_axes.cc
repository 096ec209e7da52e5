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
