#include "delegate/ops/transpose.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "delegate/ops/checks.h"

namespace gles_delegate {

absl::StatusOr<ParsedNode> ParseTranspose(const NodeView& node) {
  if (auto s = node.CheckCounts(2, 2, 1); !s.ok()) return s;
  if (auto s = CheckMovedTensors(node, 0, 0); !s.ok()) return s;
  const Tensor& input = *node.inputs[0];
  if (auto s = CheckRank(input, "input"); !s.ok()) return s;
  const int rank = static_cast<int>(input.dims.size());
  auto permutation = IntsOfInput(node, 1, "the permutation");
  if (!permutation.ok()) return permutation.status();
  if (static_cast<int>(permutation->size()) != rank) {
    return absl::InvalidArgumentError(
        absl::StrCat("the permutation has ", permutation->size(),
                     " elements, the input's rank is ", rank));
  }
  TransposeAttributes a;
  a.remap = Remap::Constant();
  std::vector<int> want(rank);
  std::vector<bool> taken(rank, false);
  for (int i = 0; i < rank; ++i) {
    auto axis = NormalAxis((*permutation)[i], rank);
    if (!axis.ok()) return axis.status();
    if (taken[*axis]) {
      return absl::InvalidArgumentError(
          absl::StrCat("the permutation has axis ", *axis, " twice"));
    }
    taken[*axis] = true;
    want[i] = input.dims[*axis];
    a.remap.Follow(BhwcAxis(*axis, rank), BhwcAxis(i, rank));
  }
  if (auto s = CheckDims(*node.outputs[0], want); !s.ok()) return s;
  return ParsedNode{a, {}};
}

absl::Status PlanTranspose(const Node& node, Planner* planner) {
  const auto& a = std::any_cast<const TransposeAttributes&>(node.attributes);
  AddRemap(planner, node.inputs[0], node.outputs[0], a.remap);
  return absl::OkStatus();
}

}  // namespace gles_delegate
