#include "delegate/ops/reduction/reduce.h"

#include <numeric>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/movement/remap.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

// Merges neighbouring axes of `dims` with equal `flags`: extents multiply,
// linear order stays. Axes of extent 1 join either neighbour.
struct FoldedAxes {
  std::vector<int> dims;
  std::vector<bool> flags;
};

FoldedAxes FoldAxes(absl::Span<const int> dims,
                    const std::vector<bool>& flags) {
  FoldedAxes folded;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 1) continue;
    if (!folded.dims.empty() && folded.flags.back() == flags[i]) {
      folded.dims.back() *= dims[i];
    } else {
      folded.dims.push_back(dims[i]);
      folded.flags.push_back(flags[i]);
    }
  }
  return folded;
}

// TFLite's mean of integers: their sum divided towards zero.
void AddIntegerMean(Planner* planner, TensorId src, TensorId dst,
                    const Reduction& reduction) {
  const Shape from = planner->tensor(src).shape;
  const Shape to = planner->tensor(dst).shape;
  Reduction r = reduction;
  r.reducer = Reducer::kSum;
  const TensorId sum = planner->AddTemporary("sum", to, DataType::kInt32);
  AddReduction(planner, src, sum, r);
  PostOp divide{"div"};
  divide.params[0] = static_cast<float>(from.elements() / to.elements());
  Dispatch d("copy");
  d.Read("src", sum).Write("dst", dst);
  d.post_ops.push_back(std::move(divide));
  d.OverTexels(to);
  planner->Add(std::move(d));
}

}  // namespace

absl::Status PlanReduce(const Node& node, Planner* planner) {
  const Reducer reducer = ReducerOf(*node.op);
  const auto& a = node.Get<ReduceAttributes>();
  TensorId src = node.inputs[0];
  if (!a.moves.empty()) {
    ASSIGN_OR_RETURN(src, AddTransposeSteps(planner, src, a.moves));
  }
  if (!a.folded.empty()) {
    ASSIGN_OR_RETURN(auto folded,
                     AsShape(planner, src, Shape::FromDims(a.folded)));
    src = folded;
  }
  const Shape from = planner->tensor(src).shape;
  const Shape to = planner->tensor(node.outputs[0]).shape;
  Reduction r;
  r.reducer = reducer;
  r.quantized = a.quantized;
  if (a.over[0]) r.b = Reduction::Whole(from.b);
  if (a.over[1]) r.h = Reduction::Whole(from.h);
  if (a.over[2]) r.w = Reduction::Whole(from.w);
  r.channels = a.over[3];
  const Shape kept = {a.over[0] ? 1 : from.b, a.over[1] ? 1 : from.h,
                      a.over[2] ? 1 : from.w, a.over[3] ? 1 : from.c};
  const auto add =
      reducer == Reducer::kMean && planner->tensor(src).type == DataType::kInt32
          ? AddIntegerMean
          : AddReduction;
  if (kept == to) {
    add(planner, src, node.outputs[0], r);
    return absl::OkStatus();
  }
  // Axes that are dropped may put the others elsewhere in B, H, W, C.
  const TensorId reduced =
      planner->AddTemporary("axes kept", kept, planner->tensor(src).type);
  add(planner, src, reduced, r);
  AddReshape(planner, reduced, node.outputs[0]);
  return absl::OkStatus();
}

absl::StatusOr<ParsedNode> ParseReduce(const NodeView& node) {
  ASSIGN_OR_RETURN(auto params, node.Get<ReducerParams>());
  const Tensor& input = *node.inputs[0];
  ASSIGN_OR_RETURN(auto axes, IntsOfInput(node, 1));
  const int rank = static_cast<int>(input.dims.size());
  ReduceAttributes a;
  std::vector<bool> over(rank, false);
  if (rank == 0) axes.clear();  // TFLite's kernels look at none
  for (int i : axes) {
    ASSIGN_OR_RETURN(auto axis, NormalAxis(i, rank));
    over[axis] = true;
  }
  const std::vector<int> plane = {1, 2}, turned_plane = {2, 1};
  a.over_plane =
      rank == 4 && params->keep_dims && (axes == plane || axes == turned_plane);
  a.over_plane_by_any_name =
      rank == 4 && params->keep_dims && axes.size() == 2 &&
      over == std::vector<bool>{false, true, true, false};
  if (rank > 4) {
    FoldedAxes folded = FoldAxes(input.dims, over);
    while (folded.dims.size() > 4) {
      // Every other axis is reduced: the third joins the first, and the fourth
      // the second.
      std::vector<int> order(folded.dims.size());
      std::iota(order.begin(), order.end(), 0);
      std::swap(order[1], order[2]);
      a.moves.push_back(FoldedTranspose(folded.dims, order).Step());
      std::swap(folded.dims[1], folded.dims[2]);
      std::vector<bool>::swap(folded.flags[1], folded.flags[2]);
      folded = FoldAxes(folded.dims, folded.flags);
    }
    a.folded = std::move(folded.dims);
    over = std::move(folded.flags);
  }
  const int folded_rank = static_cast<int>(over.size());
  for (int i = 0; i < folded_rank; ++i) {
    if (over[i]) a.over[BhwcAxis(i, folded_rank)] = true;
  }
  return ParsedNode{a, {}};
}

}  // namespace gles_delegate
