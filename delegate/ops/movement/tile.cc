#include "delegate/ops/movement/tile.h"

#include <cstdint>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "delegate/ops/checks.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

absl::StatusOr<ParsedNode> ParseTile(const NodeView& node) {
  if (auto s = node.CheckCounts(2, 2, 1); !s.ok()) return s;
  if (auto s = CheckMovedTensors(node, 0, 0); !s.ok()) return s;
  const Tensor& input = *node.inputs[0];
  if (auto s = CheckRank(input, "input"); !s.ok()) return s;
  auto multiples = IntsOfInput(node, 1, "the multiples");
  if (!multiples.ok()) return multiples.status();
  if (multiples->size() != input.dims.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("there are ", multiples->size(),
                     " multiples for an input of rank ", input.dims.size()));
  }
  std::vector<int> want = input.dims;
  for (size_t i = 0; i < want.size(); ++i) {
    const int64_t extent = int64_t{want[i]} * (*multiples)[i];
    if (extent < 0 || extent > std::numeric_limits<int32_t>::max()) {
      return absl::InvalidArgumentError(
          absl::StrCat("multiple ", (*multiples)[i], " gives axis ", i, " ",
                       extent, " elements"));
    }
    want[i] = static_cast<int>(extent);
  }
  if (auto s = CheckOutputDims(*node.outputs[0], want); !s.ok()) return s;
  RemapAttributes a;
  a.remap.edge = Remap::Edge::kWrap;
  return ParsedNode{a, {}};
}

absl::StatusOr<ParsedNode> ParseBroadcastTo(const NodeView& node) {
  if (auto s = node.CheckCounts(2, 2, 1); !s.ok()) return s;
  if (auto s = CheckMovedTensors(node, 0, 0); !s.ok()) return s;
  const std::vector<int>& dims = node.inputs[0]->dims;
  if (auto s = CheckRank(*node.outputs[0], "output"); !s.ok()) return s;
  auto shape = IntsOfInput(node, 1, "the shape");
  if (!shape.ok()) return shape.status();
  if (auto s = CheckOutputDims(*node.outputs[0], *shape); !s.ok()) return s;
  const int rank = static_cast<int>(dims.size());
  const int out_rank = static_cast<int>(shape->size());
  RemapAttributes a;
  a.remap = Remap::Constant();
  bool fits = rank <= out_rank;
  for (int i = 0; fits && i < rank; ++i) {
    const int to = i + out_rank - rank;
    fits = dims[i] == 1 || dims[i] == (*shape)[to];
    if (dims[i] != 1) a.remap.Follow(BhwcAxis(i, rank), BhwcAxis(to, out_rank));
  }
  if (!fits) {
    return absl::InvalidArgumentError(absl::StrCat("input ", DimsString(dims),
                                                   " does not broadcast to ",
                                                   DimsString(*shape)));
  }
  return ParsedNode{a, {}};
}

}  // namespace gles_delegate
