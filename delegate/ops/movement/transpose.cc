#include "delegate/ops/movement/transpose.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/fold_axes.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

Remap Permute(const std::vector<int>& permutation) {
  const int rank = static_cast<int>(permutation.size());
  Remap remap = Remap::Constant();
  for (int i = 0; i < rank; ++i) {
    remap.Follow(BhwcAxis(permutation[i], rank), BhwcAxis(i, rank));
  }
  return remap;
}

}  // namespace

absl::StatusOr<ParsedNode> ParseTranspose(const NodeView& node) {
  const Tensor& input = *node.inputs[0];
  const int rank = static_cast<int>(input.dims.size());
  ASSIGN_OR_RETURN(auto permutation, IntsOfInput(node, 1));
  if (static_cast<int>(permutation.size()) != rank) {
    return absl::InvalidArgumentError(
        absl::StrCat("the permutation has ", permutation.size(),
                     " elements, the input's rank is ", rank));
  }
  std::vector<int> want(rank);
  std::vector<bool> taken(rank, false);
  for (int i = 0; i < rank; ++i) {
    ASSIGN_OR_RETURN(auto axis, NormalAxis(permutation[i], rank));
    if (taken[axis]) {
      return absl::InvalidArgumentError(
          absl::StrCat("the permutation has axis ", axis, " twice"));
    }
    taken[axis] = true;
    permutation[i] = axis;
    want[i] = input.dims[axis];
  }
  RETURN_IF_ERROR(CheckOutputDims(*node.outputs[0], want));
  TransposeAttributes a;
  if (rank <= 5) {
    a.remap = Permute(permutation);
    return ParsedNode{a, {}};
  }
  const FoldedTranspose folded = FoldTranspose(input.dims, permutation);
  if (folded.dims.size() > 5) {
    return absl::UnimplementedError(
        absl::StrCat("the permutation of ", DimsString(input.dims), " moves ",
                     folded.dims.size(), " groups of axes; they may be 5"));
  }
  a.remap = Permute(folded.permutation);
  a.folded_input = folded.dims;
  for (int axis : folded.permutation) {
    a.folded_output.push_back(folded.dims[axis]);
  }
  if (folded.dims.size() == 5) a.remap.src_outer = folded.dims[0];
  return ParsedNode{a, {}};
}

absl::Status PlanTranspose(const Node& node, Planner* planner) {
  const auto& a = std::any_cast<const TransposeAttributes&>(node.attributes);
  if (a.folded_input.empty()) {
    AddRemap(planner, node.inputs[0], node.outputs[0], a.remap);
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(auto src, AsShape(planner, node.inputs[0],
                                     Shape::FromDims(a.folded_input)));
  const TensorId dst = planner->AddTemporaryOf(
      "transposed", a.folded_output, planner->tensor(node.outputs[0]).type);
  AddRemap(planner, src, dst, a.remap);
  AddReshape(planner, dst, node.outputs[0]);
  return absl::OkStatus();
}

}  // namespace gles_delegate
