#include "delegate/ops/reduction/arg_extreme.h"

#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/op.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/movement/remap.h"
#include "delegate/ops/reduction/row_threads.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

void AddArgExtreme(Planner* planner, TensorId src, TensorId dst, int axis,
                   bool min) {
  const Tensor& source = planner->tensor(src);
  const Shape& from = source.shape;
  const Shape to = planner->tensor(dst).shape;
  const std::array<int, 4> extents = {from.b, from.h, from.w, from.slices()};
  const int threads =
      ThreadsPerRow(extents[axis], int64_t{to.b} * to.h * to.w * to.slices(),
                    planner->profile());
  Dispatch d("arg_extreme");
  d.Define("THREADS", threads);
  if (threads > 1) d.SharedMemory(int64_t{32} * threads);
  if (!IsIntegers(source)) d.Define("FLOATS");
  if (axis == kChannelAxis) d.Define("CHANNELS");
  if (min) d.Define("LEAST_OF");
  d.Read("src", src).Write("dst", dst);
  d.uniforms.Int4("step_by", axis == kWidthAxis, axis == kHeightAxis,
                  axis == kChannelAxis, axis == kBatchAxis);
  d.uniforms.Int("texels", extents[axis]);
  d.Grid(int64_t{to.w} * threads, to.h, to.slices() * to.b);
  if (threads > 1) d.WorkGroup(threads, 1, 1);
  planner->Add(std::move(d));
}

absl::Status PlanArgExtreme(const Node& node, bool min, Planner* planner) {
  const auto& a = node.Get<ArgExtremeAttributes>();
  TensorId source = node.inputs[0];
  if (a.shape.has_value()) {
    ASSIGN_OR_RETURN(auto viewed, AsShape(planner, source, *a.shape));
    source = viewed;
  }
  const Shape to = planner->tensor(node.outputs[0]).shape;
  Shape kept = planner->tensor(source).shape;
  if (a.axis == kBatchAxis) kept.b = 1;
  if (a.axis == kHeightAxis) kept.h = 1;
  if (a.axis == kWidthAxis) kept.w = 1;
  if (a.axis == kChannelAxis) kept.c = 1;
  if (kept == to) {
    AddArgExtreme(planner, source, node.outputs[0], a.axis, min);
    return absl::OkStatus();
  }
  // Removing the axis may move the others within B, H, W, C.
  const TensorId positions =
      planner->AddTemporary("axis kept", kept, DataType::kInt32);
  AddArgExtreme(planner, source, positions, a.axis, min);
  AddReshape(planner, positions, node.outputs[0]);
  return absl::OkStatus();
}

}  // namespace

// kInvalidArgument: an invalid axis.
absl::StatusOr<ParsedNode> ParseArgExtreme(const NodeView& node) {
  const Tensor& input = *node.inputs[0];
  ASSIGN_OR_RETURN(auto axis,
                   AxisOfInput(node, 1, static_cast<int>(input.dims.size())));
  return ParsedNode{ViewOfAxis(input.dims, axis), {}};
}

absl::Status PlanArgMax(const Node& node, Planner* planner) {
  return PlanArgExtreme(node, /*least=*/false, planner);
}

absl::Status PlanArgMin(const Node& node, Planner* planner) {
  return PlanArgExtreme(node, /*least=*/true, planner);
}

// TOPK_V2: the k largest elements of the last axis in descending order, and
// their positions as int32; the first of equals first, NaN last. Input of
// float32 or int32, any rank; k constant, at most 64, since each costs a pass
// over the row.

namespace {

constexpr int kMaxPasses = 64;

}  // namespace

// kUnimplemented: k above 64.
absl::StatusOr<ParsedNode> ParseTopK(const NodeView& node) {
  ASSIGN_OR_RETURN(auto k, IntsOfInput(node, 1));
  if (k.front() > kMaxPasses) {
    return absl::UnimplementedError(
        absl::StrCat("k is ", k.front(), ", at most ", kMaxPasses,
                     " pays here: each is a pass over the row"));
  }
  return ParsedNode{};
}

absl::Status PlanTopK(const Node& node, Planner* planner) {
  const Tensor& source = planner->tensor(node.inputs[0]);
  const Shape& from = source.shape;
  const int threads = ThreadsPerRow(
      from.slices(), int64_t{from.b} * from.h * from.w, planner->profile());
  Dispatch d("top_k");
  d.Define("THREADS", threads);
  if (threads > 1) d.SharedMemory(int64_t{8} * threads);
  if (!IsIntegers(source)) d.Define("FLOATS");
  d.Read("src", node.inputs[0]);
  d.Write("dst", node.outputs[0]).Write("positions", node.outputs[1]);
  d.Grid(int64_t{from.w} * threads, from.h, from.b);
  if (threads > 1) d.WorkGroup(threads, 1, 1);
  planner->Add(std::move(d));
  return absl::OkStatus();
}

}  // namespace gles_delegate
