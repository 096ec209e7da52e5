// Copies of the input's elements, by constant parameters.
//   TILE          repeats the input along each axis.
//   BROADCAST_TO  repeats axes of extent 1, and missing leading axes.
//   MATRIX_DIAG   makes matrices with vectors as diagonals, 0 elsewhere:
//                 [..., M] -> [..., M, M]; not of quantized tensors.
//   FILL          fills constant dimensions (input 0) with a scalar (input 1).
//   ZEROS_LIKE    fills the input's shape with zeros.
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "delegate/graph/op.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/ops/movement/axis_move.h"
#include "delegate/ops/movement/remap.h"

namespace gles_delegate {

absl::StatusOr<ParsedNode> ParseTile(const NodeView& node) {
  const std::vector<int>& from = node.inputs[0]->dims;
  const std::vector<int>& to = node.outputs[0]->dims;
  const int rank = static_cast<int>(from.size());
  const int missing = static_cast<int>(to.size()) - rank;
  std::vector<AxisMove> axes;
  for (int i = 0; i < static_cast<int>(to.size()); ++i) {
    axes.push_back({i < missing ? 1 : from[i - missing], to[i]});
  }
  return ParsedNode{MoveAxes(std::move(axes), rank), {}};
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

absl::StatusOr<ParsedNode> ParseFill(const NodeView& node) {
  ElementwiseAttributes a;
  a.source = 1;
  a.source_shape = node.inputs[1]->shape;
  return ParsedNode{a, {}};
}

absl::StatusOr<ParsedNode> ParseZerosLike(const NodeView& node) {
  ElementwiseAttributes a;
  a.source_shape = node.inputs[0]->shape;
  return ParsedNode{a, {PostOp{"zeros_like"}}};
}

}  // namespace gles_delegate
