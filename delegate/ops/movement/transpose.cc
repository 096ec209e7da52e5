#include "delegate/ops/movement/transpose.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/ops/checks.h"
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

// The order of axes in which the output's second is behind its first, or two
// others that are neighbors in the output, so that the innermost stays.
std::vector<int> OrderWithNeighbors(const std::vector<int>& permutation) {
  const int last = static_cast<int>(permutation.size()) - 1;
  size_t i = 1;
  while (permutation[i - 1] == last || permutation[i] == last) ++i;
  std::vector<int> order;
  for (int axis = 0; axis <= last; ++axis) {
    if (axis != permutation[i]) order.push_back(axis);
    if (axis == permutation[i - 1]) order.push_back(permutation[i]);
  }
  return order;
}

// As few steps as there are axes past five, and one.
std::vector<TransposeStep> StepsOf(FoldedTranspose folded) {
  std::vector<TransposeStep> steps;
  while (folded.dims.size() > 5) {
    const std::vector<int> order = OrderWithNeighbors(folded.permutation);
    steps.push_back(StepOf(FoldTranspose(folded.dims, order)));
    std::vector<int> dims, place(order.size());
    for (size_t i = 0; i < order.size(); ++i) {
      dims.push_back(folded.dims[order[i]]);
      place[order[i]] = static_cast<int>(i);
    }
    for (int& axis : folded.permutation) axis = place[axis];
    folded = FoldTranspose(dims, folded.permutation);
  }
  steps.push_back(StepOf(folded));
  return steps;
}

}  // namespace

TransposeStep StepOf(const FoldedTranspose& folded) {
  TransposeStep step = {Permute(folded.permutation), folded.dims, {}};
  for (int axis : folded.permutation) step.output.push_back(folded.dims[axis]);
  if (folded.dims.size() == 5) step.remap.src_outer = folded.dims[0];
  return step;
}

absl::StatusOr<TensorId> AddTransposeSteps(
    Planner* planner, TensorId src, absl::Span<const TransposeStep> steps) {
  const DataType type = planner->tensor(src).type;
  for (const TransposeStep& step : steps) {
    ASSIGN_OR_RETURN(auto folded,
                     AsShape(planner, src, Shape::FromDims(step.input)));
    src = planner->AddTemporaryOf("transposed", step.output, type);
    AddRemap(planner, folded, src, step.remap);
  }
  return src;
}

absl::StatusOr<ParsedNode> ParseTranspose(const NodeView& node) {
  const Tensor& input = *node.inputs[0];
  const int rank = static_cast<int>(input.dims.size());
  ASSIGN_OR_RETURN(auto permutation, IntsOfInput(node, 1));
  std::vector<bool> taken(rank, false);
  for (int i = 0; i < rank; ++i) {
    ASSIGN_OR_RETURN(auto axis, NormalAxis(permutation[i], rank));
    if (taken[axis]) {
      return absl::InvalidArgumentError(
          absl::StrCat("the permutation has axis ", axis, " twice"));
    }
    taken[axis] = true;
    permutation[i] = axis;
  }
  TransposeAttributes a;
  if (rank <= 5) {
    a.remap = Permute(permutation);
    return ParsedNode{a, {}};
  }
  a.steps = StepsOf(FoldTranspose(input.dims, permutation));
  return ParsedNode{a, {}};
}

absl::Status PlanTranspose(const Node& node, Planner* planner) {
  const auto& a = std::any_cast<const TransposeAttributes&>(node.attributes);
  if (a.steps.empty()) {
    AddRemap(planner, node.inputs[0], node.outputs[0], a.remap);
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(auto moved,
                   AddTransposeSteps(planner, node.inputs[0], a.steps));
  AddReshape(planner, moved, node.outputs[0]);
  return absl::OkStatus();
}

}  // namespace gles_delegate
