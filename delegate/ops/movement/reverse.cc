#include "delegate/ops/movement/reverse.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/movement/axis_move.h"

namespace gles_delegate {

absl::StatusOr<ParsedNode> ParseReverse(const NodeView& node) {
  if (auto s = node.CheckCounts(2, 2, 1); !s.ok()) return s;
  if (auto s = CheckMovedTensors(node, 0, 0); !s.ok()) return s;
  const Tensor& input = *node.inputs[0];
  auto axes = IntsOfInput(node, 1, "the axes");
  if (!axes.ok()) return axes.status();
  const int rank = static_cast<int>(input.dims.size());
  std::vector<AxisMove> moves;
  for (int extent : input.dims) moves.push_back({extent, extent});
  std::vector<bool> taken(rank, false);
  for (int i : *axes) {
    auto axis = NormalAxis(i, rank);
    if (!axis.ok()) return axis.status();
    if (taken[*axis]) {
      return absl::InvalidArgumentError(
          absl::StrCat("axis ", *axis, " is named twice"));
    }
    taken[*axis] = true;
    moves[*axis].first = input.dims[*axis] - 1;
    moves[*axis].step = -1;
  }
  if (auto s = CheckOutputDims(*node.outputs[0], input.dims); !s.ok()) return s;
  return ParsedNode{MoveAxes(std::move(moves), rank), {}};
}

}  // namespace gles_delegate
