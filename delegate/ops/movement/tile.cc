#include "delegate/ops/movement/tile.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/fold_axes.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

// Of an axis of BROADCAST_TO.
struct Extents {
  int in = 1, out = 1;
};

// Several axes as one; nullopt: only some of them are repeated.
std::optional<Extents> FoldExtents(absl::Span<const Extents> axes) {
  Extents folded;
  for (const Extents& axis : axes) {
    folded = {folded.in * axis.in, folded.out * axis.out};
  }
  if (folded.in != 1 && folded.in != folded.out) return std::nullopt;
  return folded;
}

}  // namespace

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
  auto shape = IntsOfInput(node, 1, "the shape");
  if (!shape.ok()) return shape.status();
  if (auto s = CheckOutputDims(*node.outputs[0], *shape); !s.ok()) return s;
  const int missing = static_cast<int>(shape->size() - dims.size());
  std::vector<Extents> axes;
  bool fits = missing >= 0;
  for (int i = 0; fits && i < static_cast<int>(shape->size()); ++i) {
    axes.push_back({i < missing ? 1 : dims[i - missing], (*shape)[i]});
    fits = axes.back().in == 1 || axes.back().in == axes.back().out;
  }
  if (!fits) {
    return absl::InvalidArgumentError(absl::StrCat("input ", DimsString(dims),
                                                   " does not broadcast to ",
                                                   DimsString(*shape)));
  }
  RemapAttributes a;
  a.remap = Remap::Constant();
  if (axes.size() > 5) {
    auto folded = FoldToFive(axes, FoldExtents);
    if (!folded) {
      return absl::UnimplementedError(
          absl::StrCat("the broadcast of ", DimsString(dims), " to ",
                       DimsString(*shape), " needs more than five axes"));
    }
    axes = *std::move(folded);
    a.remap.src_outer = axes[0].in;
    a.remap.dst_outer = axes[0].out;
  }
  const int rank = static_cast<int>(axes.size());
  const int in_rank = std::min<int>(dims.size(), 5);
  for (int i = 0; i < rank; ++i) {
    if (axes[i].in == 1) continue;
    const int to = BhwcAxis(i, rank);
    const bool is_folded = a.remap.src_outer != 0 && i < 2;
    a.remap.Follow(is_folded ? to : BhwcAxis(i - rank, in_rank), to);
  }
  return ParsedNode{a, {}};
}

}  // namespace gles_delegate
