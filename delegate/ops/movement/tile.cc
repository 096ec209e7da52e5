// Copies of the input's elements, by constant parameters.
//   TILE          repeats the input along each axis.
//   BROADCAST_TO  repeats axes of extent 1, and missing leading axes.
//   MATRIX_DIAG   makes matrices with vectors as diagonals, 0 elsewhere:
//                 [..., M] -> [..., M, M]; not of quantized tensors.
//   FILL          fills constant dimensions (input 0) with a scalar (input 1).
//   ZEROS_LIKE    fills the input's shape with zeros.
// kInvalidArgument: shapes that do not broadcast, or a wrong output shape.
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/op.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/ops/movement/axis_move.h"
#include "delegate/ops/movement/remap.h"

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

// kInvalidArgument: a value of rank above 0, or an output shape that differs
// from the dimensions.
absl::StatusOr<ParsedNode> ParseFill(const NodeView& node) {
  ASSIGN_OR_RETURN(auto dims, IntsOfInput(node, 0));
  if (node.inputs[0]->dims.size() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("the dimensions are ", DimsString(node.inputs[0]->dims),
                     ", wants a vector"));
  }
  const Tensor& value = *node.inputs[1];
  if (!value.dims.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the value is ", DimsString(value.dims), ", wants a scalar"));
  }
  RETURN_IF_ERROR(CheckOutputDims(*node.outputs[0], dims));
  ElementwiseAttributes a;
  a.source = 1;
  a.source_shape = value.shape;
  return ParsedNode{a, {}};
}

absl::StatusOr<ParsedNode> ParseZerosLike(const NodeView& node) {
  ElementwiseAttributes a;
  a.source_shape = node.inputs[0]->shape;
  return ParsedNode{a, {PostOp{"zeros_like"}}};
}

}  // namespace gles_delegate
