#include "delegate/ops/movement/reverse.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/movement/axis_move.h"

namespace gles_delegate {

absl::StatusOr<ParsedNode> ParseReverse(const NodeView& node) {
  const Tensor& input = *node.inputs[0];
  ASSIGN_OR_RETURN(auto axes, IntsOfInput(node, 1));
  const int rank = static_cast<int>(input.dims.size());
  std::vector<AxisMove> moves;
  for (int extent : input.dims) moves.push_back({extent, extent});
  std::vector<bool> taken(rank, false);
  for (int i : axes) {
    ASSIGN_OR_RETURN(auto axis, NormalAxis(i, rank));
    if (taken[axis]) {
      return absl::InvalidArgumentError(
          absl::StrCat("axis ", axis, " is named twice"));
    }
    taken[axis] = true;
    moves[axis].first = input.dims[axis] - 1;
    moves[axis].step = -1;
  }
  return ParsedNode{MoveAxes(std::move(moves), rank), {}};
}

}  // namespace gles_delegate
