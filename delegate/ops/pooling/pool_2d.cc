#include "delegate/ops/pooling/pool_2d.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/graph/custom_params.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/op_list.h"
#include "delegate/ops/work_group.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

// Windows whose reads the max_pool_2d shader spells out.
constexpr int kMaxSpelledTaps = 16;

// On SIMD devices, loops with unknown bounds are expensive.
bool IsPoolSpelledOut(const PoolAttributes& a, const DeviceChoices& choices) {
  return choices.simd_lanes > 1 && !a.zeros &&
         int64_t{a.h.size} * a.w.size <= kMaxSpelledTaps;
}

void PlanSpelledOut(const Node& node, const PoolAttributes& a,
                    Planner* planner) {
  const Shape& dst = planner->tensor(node.outputs[0]).shape;
  Dispatch d("max_pool_2d");
  d.Define("WINDOW_W", a.w.size)
      .Define("WINDOW_H", a.h.size)
      .Read("src", node.inputs[0])
      .Write("dst", node.outputs[0])
      .Grid(dst.w * dst.h, dst.slices(), dst.b);
  d.uniforms.Int4("stride_pad", a.w.stride, a.h.stride, a.pad_w.before,
                  a.pad_h.before);
  AddInLightGroups(std::move(d), planner);
}

absl::Status PlanPool(const Node& node, Reducer reducer, Planner* planner) {
  const auto& a = node.Get<PoolAttributes>();
  Reduction r;
  r.reducer = reducer;
  r.h = {a.h.size, a.h.stride, a.pad_h.before};
  r.w = {a.w.size, a.w.stride, a.pad_w.before};
  r.zeros = a.zeros;
  r.quantized = a.quantized;
  AddReduction(planner, node.inputs[0], node.outputs[0], r);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ParsedNode> ParsePool2d(const NodeView& node) {
  ASSIGN_OR_RETURN(auto params, node.Get<PoolParams>());
  const PoolParams& p = *params;
  const Tensor& input = *node.inputs[0];
  PoolAttributes a;
  a.h = {p.filter_height, p.stride_height, 1};
  a.w = {p.filter_width, p.stride_width, 1};
  ASSIGN_OR_RETURN(auto pad_h,
                   ComputePadding(p.padding, input.shape.h, a.h, "height"));
  ASSIGN_OR_RETURN(auto pad_w,
                   ComputePadding(p.padding, input.shape.w, a.w, "width"));
  a.pad_h = pad_h;
  a.pad_w = pad_w;
  ASSIGN_OR_RETURN(auto activation, FusedActivation(p.activation));
  return ParsedNode{a, std::move(activation)};
}

std::optional<MemoryView> MaxPoolView(const Node& node) {
  const auto* a = node.As<PoolAttributes>();
  constexpr int kLargest = 2;  // along an axis
  if (a == nullptr || node.op->plan != &PlanMaxPool2d || a->zeros ||
      a->h.size > kLargest || a->w.size > kLargest || a->pad_h.before != 0 ||
      a->pad_w.before != 0) {
    return std::nullopt;
  }
  MemoryView view;
  view.kind = MemoryView::Kind::kMaxPool;
  view.step = {a->w.stride, a->h.stride};
  view.window = {a->w.size, a->h.size};
  return view;
}

absl::Status PlanAveragePool2d(const Node& node, Planner* planner) {
  return PlanPool(node, Reducer::kMean, planner);
}

absl::Status PlanMaxPool2d(const Node& node, Planner* planner) {
  const auto& a = node.Get<PoolAttributes>();
  if (IsPoolSpelledOut(a, planner->profile().choices)) {
    PlanSpelledOut(node, a, planner);
    return absl::OkStatus();
  }
  return PlanPool(node, Reducer::kMax, planner);
}

// --- MaxPoolingWithArgmax2D, MaxUnpooling2D ----------------------------------

namespace {

ArgmaxPoolAttributes ArgmaxPoolAttributesOf(const CustomPoolParams& p) {
  ArgmaxPoolAttributes a;
  a.h = {p.filter_height, p.stride_height, 1};
  a.w = {p.filter_width, p.stride_width, 1};
  return a;
}

}  // namespace

absl::StatusOr<ParsedNode> ParseMaxPoolingWithArgmax(const NodeView& node) {
  ASSIGN_OR_RETURN(const auto p, ReadPoolParams(node.custom_params));
  const Tensor& input = *node.inputs[0];
  ArgmaxPoolAttributes a = ArgmaxPoolAttributesOf(p);
  ASSIGN_OR_RETURN(const auto height,
                   ComputePadding(p.padding, input.shape.h, a.h, "height"));
  ASSIGN_OR_RETURN(const auto width,
                   ComputePadding(p.padding, input.shape.w, a.w, "width"));
  a.pad_top = height.before;
  a.pad_left = width.before;
  const std::vector<int> wanted = {input.shape.b, height.out, width.out,
                                   input.shape.c};
  RETURN_IF_ERROR(CheckOutputDims(*node.outputs[0], wanted));
  if (p.activation < kActNone || p.activation > kActRelu6) {
    return absl::UnimplementedError(
        absl::StrCat("fused activation ", p.activation, " is not supported"));
  }
  ASSIGN_OR_RETURN(auto activation, FusedActivation(p.activation));
  return ParsedNode{a, std::move(activation)};
}

absl::Status PlanMaxPoolingWithArgmax(const Node& node, Planner* planner) {
  const auto& a = node.Get<ArgmaxPoolAttributes>();
  Dispatch d = TexelDispatch("max_pooling_with_argmax", node, *planner, {"src"},
                             {"dst", "indices"});
  d.uniforms.Int4("window", a.w.size, a.h.size, a.w.stride, a.h.stride);
  d.uniforms.Int2("pad", a.pad_left, a.pad_top);
  planner->Add(std::move(d));
  return absl::OkStatus();
}

absl::StatusOr<ParsedNode> ParseMaxUnpooling(const NodeView& node) {
  if (node.inputs[1]->type == DataType::kInt32) {
    return absl::UnimplementedError(
        "the indices are int32: places in the whole output, as TFLite's own "
        "kernel has them; only MediaPipe's float32 places in the window run "
        "here");
  }
  ASSIGN_OR_RETURN(const auto p, ReadPoolParams(node.custom_params));
  const Tensor& input = *node.inputs[0];
  // Windows would overlap or leave gaps.
  if (p.stride_height != p.filter_height || p.stride_width != p.filter_width) {
    return absl::UnimplementedError(absl::StrCat(
        "the stride ", p.stride_height, "x", p.stride_width,
        " is not the window's ", p.filter_height, "x", p.filter_width));
  }
  // In 64 bits: a hostile file's window may be of any size.
  const int64_t height = int64_t{input.shape.h} * p.filter_height;
  const int64_t width = int64_t{input.shape.w} * p.filter_width;
  const Tensor& dst = *node.outputs[0];
  if (dst.dims.size() != 4 || dst.shape.b != input.shape.b ||
      dst.shape.h != height || dst.shape.w != width ||
      dst.shape.c != input.shape.c) {
    return absl::InvalidArgumentError(absl::StrCat(
        "output is ", DimsString(dst.dims), ", must be ", input.shape.b, "x",
        height, "x", width, "x", input.shape.c));
  }
  return ParsedNode{ArgmaxPoolAttributesOf(p), {}};
}

absl::Status PlanMaxUnpooling(const Node& node, Planner* planner) {
  const auto& a = node.Get<ArgmaxPoolAttributes>();
  Dispatch d =
      TexelDispatch("max_unpooling", node, *planner, {"src", "indices"});
  d.uniforms.Int2("window", a.w.size, a.h.size);
  planner->Add(std::move(d));
  return absl::OkStatus();
}

}  // namespace gles_delegate
