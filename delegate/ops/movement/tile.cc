#include "delegate/ops/movement/tile.h"

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/movement/axis_move.h"

namespace gles_delegate {

absl::StatusOr<ParsedNode> ParseTile(const NodeView& node) {
  const Tensor& input = *node.inputs[0];
  ASSIGN_OR_RETURN(auto multiples, IntsOfInput(node, 1));
  if (multiples.size() != input.dims.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("there are ", multiples.size(),
                     " multiples for an input of rank ", input.dims.size()));
  }
  std::vector<int> want = input.dims;
  std::vector<AxisMove> axes;
  for (size_t i = 0; i < want.size(); ++i) {
    const int64_t extent = int64_t{want[i]} * multiples[i];
    if (extent < 0 || extent > std::numeric_limits<int32_t>::max()) {
      return absl::InvalidArgumentError(absl::StrCat("multiple ", multiples[i],
                                                     " gives axis ", i, " ",
                                                     extent, " elements"));
    }
    want[i] = static_cast<int>(extent);
    axes.push_back({input.dims[i], want[i]});
  }
  RETURN_IF_ERROR(CheckOutputDims(*node.outputs[0], want));
  const int rank = static_cast<int>(axes.size());
  return ParsedNode{MoveAxes(std::move(axes), rank), {}};
}

absl::StatusOr<ParsedNode> ParseBroadcastTo(const NodeView& node) {
  const std::vector<int>& dims = node.inputs[0]->dims;
  ASSIGN_OR_RETURN(auto shape, IntsOfInput(node, 1));
  RETURN_IF_ERROR(CheckOutputDims(*node.outputs[0], shape));
  const int missing = static_cast<int>(shape.size() - dims.size());
  std::vector<AxisMove> axes;
  bool fits = missing >= 0;
  for (int i = 0; fits && i < static_cast<int>(shape.size()); ++i) {
    axes.push_back({i < missing ? 1 : dims[i - missing], shape[i]});
    fits = axes.back().in == 1 || axes.back().in == axes.back().out;
  }
  if (!fits) {
    return absl::InvalidArgumentError(absl::StrCat("input ", DimsString(dims),
                                                   " does not broadcast to ",
                                                   DimsString(shape)));
  }
  return ParsedNode{MoveAxes(std::move(axes), static_cast<int>(dims.size())),
                    {}};
}

absl::StatusOr<ParsedNode> ParseMatrixDiag(const NodeView& node) {
  const Tensor& input = *node.inputs[0];
  for (const Tensor* t : {&input, node.outputs[0]}) {
    if (!t->is_float_view()) continue;
    return absl::UnimplementedError(absl::StrCat(
        t->ToString(),
        " is quantized, and TFLite's kernel fills in 0 as a quantized value"));
  }
  const int rank = static_cast<int>(input.dims.size());
  if (rank == 0) return absl::InvalidArgumentError("the input is a scalar");
  std::vector<int> want = input.dims;
  want.push_back(want.back());
  RETURN_IF_ERROR(CheckOutputDims(*node.outputs[0], want));
  RemapAttributes a;
  a.remap = Remap::Constant();
  a.remap.edge = Remap::Edge::kFill;
  a.remap.Follow(kChannelAxis, kChannelAxis);
  // An axis of one element that the input has, or that is made for it. Its
  // index is row - column, which is outside off the diagonal.
  int single = rank == 3 ? kHeightAxis : kWidthAxis;
  int row = BhwcAxis(rank - 1, rank + 1);
  if (rank < 4) {
    for (int i = 0; i + 1 < rank; ++i) {
      a.remap.Follow(BhwcAxis(i, rank), BhwcAxis(i, rank + 1));
    }
  } else {
    single = kOuterAxis;
    row = kWidthAxis;
    a.remap.Follow(kBatchAxis, kOuterAxis)
        .Follow(kHeightAxis, kBatchAxis)
        .Follow(kWidthAxis, kHeightAxis);
    a.remap.src_outer = 1;
    a.remap.dst_outer = input.shape.b;
  }
  a.remap.per[single][row] = 1;
  a.remap.per[single][kChannelAxis] = -1;
  return ParsedNode{a, {}};
}

}  // namespace gles_delegate
