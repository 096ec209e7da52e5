#include "delegate/ops/reduction/along_axis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/graph/op.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/movement/remap.h"
#include "delegate/ops/reduction/rows.h"
#include "delegate/ops/work_group.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

// --- ARG_MAX, ARG_MIN, TOPK_V2 -----------------------------------------------

namespace {

void AddArgExtreme(Planner* planner, TensorId src, TensorId dst, int axis,
                   bool min) {
  const Tensor& source = planner->tensor(src);
  const Shape& from = source.shape;
  const Shape to = planner->tensor(dst).shape;
  const std::array<int, 4> extents = {from.b, from.h, from.w, from.slices()};
  Dispatch d("arg_extreme");
  ShareRows(extents[axis], {to.w, to.h, int64_t{to.slices()} * to.b}, 32,
            planner->profile(), &d);
  if (!IsIntegers(source)) d.Define("FLOATS");
  if (axis == kChannelAxis) d.Define("CHANNELS");
  if (min) d.Define("LEAST_OF");
  d.Read("src", src).Write("dst", dst);
  BindAxes("step_by", Along(axis, 1), &d);
  d.uniforms.Int("texels", extents[axis]);
  planner->Add(std::move(d));
}

absl::Status PlanArgExtreme(const Node& node, bool min, Planner* planner) {
  const auto& a = node.Get<ArgExtremeAttributes>();
  TensorId source = node.inputs[0];
  if (a.shape.has_value()) {
    ASSIGN_OR_RETURN(auto viewed, AsShape(planner, source, *a.shape));
    source = viewed;
  }
  const Shape& s = planner->tensor(source).shape;
  AxisArray kept = {s.b, s.h, s.w, s.c, 1};
  kept[a.axis] = 1;
  AddInShape(planner, "axis kept", {kept[0], kept[1], kept[2], kept[3]},
             node.outputs[0], [&](TensorId dst) {
               AddArgExtreme(planner, source, dst, a.axis, min);
             });
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ParsedNode> ParseArgExtreme(const NodeView& node) {
  const Tensor& input = *node.inputs[0];
  ASSIGN_OR_RETURN(auto axis,
                   AxisOfInput(node, 1, static_cast<int>(input.dims.size())));
  return ParsedNode{ViewOfAxis(input.dims, axis), {}};
}

absl::Status PlanArgMax(const Node& node, Planner* planner) {
  return PlanArgExtreme(node, /*min=*/false, planner);
}

absl::Status PlanArgMin(const Node& node, Planner* planner) {
  return PlanArgExtreme(node, /*min=*/true, planner);
}

// TOPK_V2: the k largest elements of the last axis in descending order, and
// their positions as int32; the first of equals first, NaN last. Input of
// float32 or int32, any rank; k constant, at most 64, since each costs a pass
// over the row.

namespace {

constexpr int kMaxPasses = 64;

}  // namespace

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
  Dispatch d("top_k");
  ShareRows(from.slices(), {from.w, from.h, from.b}, 8, planner->profile(), &d);
  if (!IsIntegers(source)) d.Define("FLOATS");
  d.Read("src", node.inputs[0]);
  d.Write("dst", node.outputs[0]).Write("positions", node.outputs[1]);
  planner->Add(std::move(d));
  return absl::OkStatus();
}

// --- CUMSUM ------------------------------------------------------------------

namespace {

void AddCumsum(Planner* planner, TensorId src, TensorId dst,
               const CumsumAttributes& a) {
  const Shape shape = planner->tensor(dst).shape;
  // In texels: the extent of the axis, and of the rest.
  std::array<int, 4> lines = {shape.b, shape.h, shape.w, shape.slices()};
  const int length = std::exchange(lines[a.view.axis], 1);
  Dispatch d("cumsum");
  const int threads =
      ShareRows(length,
                {lines[kWidthAxis], lines[kHeightAxis],
                 int64_t{lines[kChannelAxis]} * lines[kBatchAxis]},
                16, planner->profile(), &d);
  if (a.view.axis == kChannelAxis) d.Define("CHANNELS");
  if (a.exclusive) d.Define("EXCLUSIVE");
  if (a.reverse) d.Define("REVERSE");
  d.Read("src", src).Write("dst", dst);
  BindAxes("first", Along(a.view.axis, a.reverse ? length - 1 : 0), &d);
  BindAxes("step_by", Along(a.view.axis, a.reverse ? -1 : 1), &d);
  d.uniforms.Int("line_slices", lines[kChannelAxis]);
  d.uniforms.Int("texels", length);
  d.uniforms.Int("share", (length + threads - 1) / threads);
  planner->Add(std::move(d));
}

}  // namespace

absl::StatusOr<ParsedNode> ParseCumsum(const NodeView& node) {
  ASSIGN_OR_RETURN(auto params, node.Get<CumsumParams>());
  const Tensor& input = *node.inputs[0];
  const int rank = static_cast<int>(input.dims.size());
  ASSIGN_OR_RETURN(auto axis, AxisOfInput(node, 1, rank));
  return ParsedNode{
      CumsumAttributes{ViewOfAxis(input.dims, axis), params->exclusive != 0,
                       params->reverse != 0},
      {}};
}

absl::Status PlanCumsum(const Node& node, Planner* planner) {
  const auto& a = node.Get<CumsumAttributes>();
  const TensorId output = node.outputs[0];
  const Shape shape = a.view.shape.value_or(planner->tensor(output).shape);
  ASSIGN_OR_RETURN(auto source, AsShape(planner, node.inputs[0], shape));
  AddInShape(planner, "sums", shape, output,
             [&](TensorId dst) { AddCumsum(planner, source, dst, a); });
  return absl::OkStatus();
}

// --- RFFT2D, COMPLEX_ABS, REAL, IMAG -----------------------------------------

namespace {

// exp(-2 pi i n / length) for n below length / 2, two a texel.
PackedConstant Turns(int length) {
  PackedConstant turns("turns", std::max(1, length / 4));
  turns.always_float32 = true;
  turns.cacheable = true;
  turns.fill = [length](absl::Span<float> out) {
    for (int n = 0; n < length / 2; ++n) {
      const double angle = 2 * 3.14159265358979323846 * n / length;
      out[2 * n] = static_cast<float>(std::cos(angle));
      out[2 * n + 1] = static_cast<float>(-std::sin(angle));
    }
  };
  return turns;
}

}  // namespace

absl::StatusOr<ParsedNode> ParseRfft2d(const NodeView& node) {
  const Tensor& input = *node.inputs[0];
  ASSIGN_OR_RETURN(const auto lengths, IntsOfInput(node, 1));
  const int rank = static_cast<int>(input.dims.size());
  if (lengths[0] != 1 || rank < 2 || input.dims[rank - 2] != 1) {
    return absl::UnimplementedError(absl::StrCat(
        "transforms of ", lengths[0], " rows of the input ",
        DimsString(input.dims), "; single rows, [..., 1, N], run here"));
  }
  const int length = lengths[1];
  if (length < 2 || (length & (length - 1)) != 0 || length > (1 << 24)) {
    return absl::UnimplementedError(absl::StrCat(
        "a row has ", length, " samples; powers of two from 2 on run here"));
  }
  return ParsedNode{Rfft2dAttributes{length}, {}};
}

absl::Status PlanRfft2d(const Node& node, Planner* planner) {
  const int length = node.Get<Rfft2dAttributes>().length;
  const Shape& shape = planner->tensor(node.outputs[0]).shape;
  const int threads = std::clamp(length / 8, 1, 64);
  int bits = 0;
  while ((1 << bits) < length) ++bits;
  Dispatch d("rfft2d");
  d.Define("LENGTH", length).Define("BITS", bits).Define("THREADS", threads);
  d.Read("src", node.inputs[0]).Write("dst", node.outputs[0]);
  d.Constant(Turns(length));
  d.SharedMemory(int64_t{8} * length);
  d.Grid(int64_t{shape.w} * threads, shape.h, shape.b);
  d.WorkGroup(threads, 1, 1);
  planner->Add(std::move(d));
  return absl::OkStatus();
}

absl::Status PlanComplexPart(const Node& node, Planner* planner) {
  Dispatch d = TexelDispatch("complex_part", node, *planner);
  d.Define("PART", node.op->function);
  planner->Add(std::move(d));
  return absl::OkStatus();
}

}  // namespace gles_delegate
