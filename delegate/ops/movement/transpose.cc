#include "delegate/ops/movement/transpose.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/movement/element_map.h"
#include "delegate/ops/work_group.h"
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

}  // namespace

FoldedTranspose::FoldedTranspose(const std::vector<int>& of,
                                 const std::vector<int>& order) {
  std::vector<ElementMap::Axis> axes(order.size());
  int64_t stride = 1;
  for (int axis = static_cast<int>(of.size()) - 1; axis >= 0; --axis) {
    const auto to = std::find(order.begin(), order.end(), axis);
    axes[to - order.begin()] = {of[axis], stride};
    stride *= of[axis];
  }
  const ElementMap map(std::move(axes));
  std::map<int64_t, int, std::greater<>> places;  // of the input's axes
  for (const auto& axis : map.axes()) places[axis.stride] = axis.size;
  for (auto& [at, place] : places) {
    dims.push_back(place);
    place = static_cast<int>(dims.size()) - 1;
  }
  for (const auto& axis : map.axes()) {
    permutation.push_back(places[axis.stride]);
  }
}

TransposeStep FoldedTranspose::Step() const {
  TransposeStep step = {Permute(permutation), dims, {}};
  for (int axis : permutation) step.output.push_back(dims[axis]);
  if (dims.size() == 5) step.remap.src_outer = dims[0];
  return step;
}

// As few steps as there are axes past five, and one.
TransposeAttributes TransposeAttributes::Of(const std::vector<int>& dims,
                                            std::vector<int> permutation) {
  TransposeAttributes a;
  a.permutation = std::move(permutation);
  if (dims.size() <= 5) {
    a.remap = Permute(a.permutation);
    return a;
  }
  FoldedTranspose folded(dims, a.permutation);
  while (folded.dims.size() > 5) {
    const std::vector<int> order = OrderWithNeighbors(folded.permutation);
    a.steps.push_back(FoldedTranspose(folded.dims, order).Step());
    std::vector<int> between, place(order.size());
    for (size_t i = 0; i < order.size(); ++i) {
      between.push_back(folded.dims[order[i]]);
      place[order[i]] = static_cast<int>(i);
    }
    for (int& axis : folded.permutation) axis = place[axis];
    folded = FoldedTranspose(between, folded.permutation);
  }
  a.steps.push_back(folded.Step());
  return a;
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
  return ParsedNode{TransposeAttributes::Of(input.dims, std::move(permutation)),
                    {}};
}

absl::Status PlanTranspose(const Node& node, Planner* planner) {
  const auto& a = node.Get<TransposeAttributes>();
  if (a.steps.empty()) {
    AddRemap(planner, node.inputs[0], node.outputs[0], a.remap);
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(auto moved,
                   AddTransposeSteps(planner, node.inputs[0], a.steps));
  AddReshape(planner, moved, node.outputs[0]);
  return absl::OkStatus();
}

// --- REGROUP_SLICES ----------------------------------------------------------

Node RegroupSlicesNode(TensorId src, TensorId dst, int first) {
  static constexpr OpDefinition op =
      OpOfPasses("REGROUP_SLICES", PlanRegroupSlices, kMovesValues);
  Node node;
  node.op = &op;
  node.inputs = {src};
  node.outputs = {dst};
  node.attributes = RegroupSlicesAttributes{first};
  return node;
}

absl::Status PlanRegroupSlices(const Node& node, Planner* planner) {
  const auto& a = node.Get<RegroupSlicesAttributes>();
  Dispatch d = TexelDispatch("regroup_slices", node, *planner);
  d.uniforms.Int("first", a.first);
  planner->Add(std::move(d));
  return absl::OkStatus();
}

}  // namespace gles_delegate
