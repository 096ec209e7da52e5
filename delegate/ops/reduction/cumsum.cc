#include "delegate/ops/reduction/cumsum.h"

#include <array>
#include <utility>

#include "base/status_macros.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/movement/remap.h"
#include "delegate/ops/reduction/row_threads.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

// (x, y, slice, batch) of a vector along `axis`.
std::array<int, 4> Along(int axis, int length) {
  return {axis == kWidthAxis ? length : 0, axis == kHeightAxis ? length : 0,
          axis == kChannelAxis ? length : 0, axis == kBatchAxis ? length : 0};
}

void AddCumsum(Planner* planner, TensorId src, TensorId dst,
               const CumsumAttributes& a) {
  const Shape shape = planner->tensor(dst).shape;
  // In texels: the extent of the axis, and of the rest.
  std::array<int, 4> lines = {shape.b, shape.h, shape.w, shape.slices()};
  const int length = std::exchange(lines[a.view.axis], 1);
  const int threads =
      ThreadsPerRow(length,
                    int64_t{lines[kBatchAxis]} * lines[kHeightAxis] *
                        lines[kWidthAxis] * lines[kChannelAxis],
                    planner->profile());
  Dispatch d("cumsum");
  d.Define("THREADS", threads);
  if (threads > 1) d.SharedMemory(int64_t{16} * threads);
  if (a.view.axis == kChannelAxis) d.Define("CHANNELS");
  if (a.exclusive) d.Define("EXCLUSIVE");
  if (a.reverse) d.Define("REVERSE");
  d.Read("src", src).Write("dst", dst);
  const auto step = Along(a.view.axis, a.reverse ? -1 : 1);
  const auto first = Along(a.view.axis, a.reverse ? length - 1 : 0);
  d.uniforms.Int4("first", first[0], first[1], first[2], first[3]);
  d.uniforms.Int4("step_by", step[0], step[1], step[2], step[3]);
  d.uniforms.Int("line_slices", lines[kChannelAxis]);
  d.uniforms.Int("texels", length);
  d.uniforms.Int("share", (length + threads - 1) / threads);
  d.Grid(int64_t{lines[kWidthAxis]} * threads, lines[kHeightAxis],
         int64_t{lines[kChannelAxis]} * lines[kBatchAxis]);
  if (threads > 1) d.WorkGroup(threads, 1, 1);
  planner->Add(std::move(d));
}

}  // namespace

// kInvalidArgument: an invalid axis, or an output shape that is not the
// input's.
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
  if (!a.view.shape.has_value()) {
    AddCumsum(planner, node.inputs[0], output, a);
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(auto source,
                   AsShape(planner, node.inputs[0], *a.view.shape));
  const TensorId sums = planner->AddTemporary("sums", *a.view.shape,
                                              planner->tensor(output).type);
  AddCumsum(planner, source, sums, a);
  AddReshape(planner, sums, output);
  return absl::OkStatus();
}

}  // namespace gles_delegate
