#include "delegate/ops/pool_2d.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/reduction.h"
#include "delegate/tflite/builtin_params.h"

namespace gles_delegate {
namespace {

absl::Status PlanPool(const Node& node, Reducer reducer, Planner* planner) {
  const auto& a = std::any_cast<const PoolAttributes&>(node.attributes);
  Reduction r;
  r.reducer = reducer;
  r.h = {a.h.size, a.h.stride, a.pad_h.before};
  r.w = {a.w.size, a.w.stride, a.pad_w.before};
  r.zeros = a.zeros;
  AddReduction(planner, node.inputs[0], node.outputs[0], r);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ParsedNode> ParsePool2d(const NodeView& node) {
  if (auto s = node.CheckCounts(1, 1, 1); !s.ok()) return s;
  if (auto s = CheckFloatTensors(node, 0, 0); !s.ok()) return s;
  auto params = node.Get<PoolParams>();
  if (!params.ok()) return params.status();
  const PoolParams& p = **params;
  const Tensor& input = *node.inputs[0];
  const Tensor& output = *node.outputs[0];
  if (input.dims.size() != 4) {
    return absl::InvalidArgumentError(
        absl::StrCat("input is ", DimsString(input.dims), ", wants rank 4"));
  }
  PoolAttributes a;
  a.h = {p.filter_height, p.stride_height, 1};
  a.w = {p.filter_width, p.stride_width, 1};
  auto pad_h = ComputePadding(p.padding, input.shape.h, a.h, "height");
  if (!pad_h.ok()) return pad_h.status();
  auto pad_w = ComputePadding(p.padding, input.shape.w, a.w, "width");
  if (!pad_w.ok()) return pad_w.status();
  a.pad_h = *pad_h;
  a.pad_w = *pad_w;
  if (auto s = CheckDims(
          output, {input.shape.b, a.pad_h.out, a.pad_w.out, input.shape.c});
      !s.ok()) {
    return s;
  }
  auto activation = FusedActivation(p.activation);
  if (!activation.ok()) return activation.status();
  return ParsedNode{a, *std::move(activation)};
}

absl::Status PlanAveragePool2d(const Node& node, Planner* planner) {
  return PlanPool(node, Reducer::kMean, planner);
}

absl::Status PlanMaxPool2d(const Node& node, Planner* planner) {
  return PlanPool(node, Reducer::kMax, planner);
}

}  // namespace gles_delegate
