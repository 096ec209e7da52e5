#include "delegate/ops/conv/conv_2d.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/conv/conv_shared.h"
#include "delegate/ops/conv/conv_split.h"
#include "delegate/ops/conv/conv_tile.h"
#include "delegate/ops/conv/conv_unrolled.h"
#include "delegate/ops/conv/conv_weights.h"
#include "delegate/ops/conv/conv_winograd.h"
#include "delegate/ops/fused_activation.h"
#include "delegate/ops/matmul/matrix_product.h"
#include "delegate/ops/padding.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

absl::Status CheckShapes(const NodeView& node) {
  const Tensor& src = *node.inputs[0];
  const Tensor& filter = *node.inputs[1];
  const Tensor& dst = *node.outputs[0];
  if (src.dims.size() != 4 || filter.dims.size() != 4 || dst.dims.size() != 4) {
    return absl::InvalidArgumentError(absl::StrCat(
        "input, filter and output must have 4 dimensions, they have ",
        src.dims.size(), ", ", filter.dims.size(), " and ", dst.dims.size()));
  }
  if (filter.shape.elements() <= 0 || src.shape.c % filter.shape.c != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "filter has ", filter.shape.c, " input channels, input has ",
        src.shape.c, "; the one must divide the other"));
  }
  const int groups = src.shape.c / filter.shape.c;
  if (filter.shape.b % groups != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("filter has ", filter.shape.b, " outputs, which ", groups,
                     " groups do not divide"));
  }
  if (dst.shape.b != src.shape.b || dst.shape.c != filter.shape.b) {
    return absl::InvalidArgumentError(
        absl::StrCat("output is ", dst.shape.ToString(), ", input has batch ",
                     src.shape.b, " and filter ", filter.shape.b, " outputs"));
  }
  return absl::OkStatus();
}

absl::Status CheckTypes(const NodeView& node) {
  if (auto s = CheckFloat(*node.inputs[0], "input"); !s.ok()) {
    return s;
  }
  if (auto s = CheckFloat(*node.outputs[0], "output"); !s.ok()) {
    return s;
  }
  return CheckWeights(*node.inputs[1], "the filter");
}

// The filter as PackFilter takes it.
Filter FilterOf(const Shape& shape, int groups) {
  return {shape.b, shape.h * shape.w, shape.c, groups};
}

// One window, the whole input: a matrix product of one row a batch.
bool IsWholeInput(const Conv2dAttributes& a, const Shape& filter,
                  const Shape& src, const Shape& dst) {
  return a.groups == 1 && dst.h == 1 && dst.w == 1 && filter.h == src.h &&
         filter.w == src.w && a.pad_top == 0 && a.pad_left == 0 &&
         a.dilation_h == 1 && a.dilation_w == 1;
}

InputGate GateOf(const Node& node) {
  const auto input = [&](size_t i) {
    return i < node.inputs.size() ? node.inputs[i] : kNoTensor;
  };
  return {input(kConvGate), input(kConvAddend)};
}

}  // namespace

bool IsPointwise(const Conv2dAttributes& a, int window_w, int window_h,
                 const Shape& src, const Shape& dst) {
  return window_w == 1 && window_h == 1 && a.stride_h == 1 && a.stride_w == 1 &&
         a.pad_top == 0 && a.pad_left == 0 && a.groups == 1 && src.b == dst.b &&
         src.h == dst.h && src.w == dst.w;
}

bool IsTiledPointwise(const Graph& graph, const Node& node) {
  const auto* a = std::any_cast<Conv2dAttributes>(&node.attributes);
  if (a == nullptr) return false;
  const Shape& dst = graph.tensor(node.outputs[0]).shape;
  const WeightIds ids = WeightsOf(node, 1, 2);
  const Shape& window = graph.tensor(ids.weights).shape;
  return IsPointwise(*a, window.w, window.h, graph.tensor(node.inputs[0]).shape,
                     dst) &&
         IsTiled(dst) && graph.tensor(ids.weights).is_constant() &&
         (ids.bias == kNoTensor || graph.tensor(ids.bias).is_constant());
}

absl::StatusOr<ParsedNode> ParseConv2d(const NodeView& node) {
  if (auto s = node.CheckCounts(2, 3, 1); !s.ok()) return s;
  const auto params = node.Get<ConvParams>();
  if (!params.ok()) return params.status();
  const ConvParams& p = **params;
  if (auto s = CheckTypes(node); !s.ok()) return s;
  if (auto s = CheckShapes(node); !s.ok()) return s;
  const Shape& src = node.inputs[0]->shape;
  const Shape& filter = node.inputs[1]->shape;
  const Shape& dst = node.outputs[0]->shape;
  const Tensor* bias = node.inputs.size() > 2 ? node.inputs[2] : nullptr;
  if (auto s = CheckBias(bias, filter.b); !s.ok()) return s;

  const int dilation_h = DilationOf(p.dilation_height_factor);
  const int dilation_w = DilationOf(p.dilation_width_factor);
  const auto height = ComputePadding(
      p.padding, src.h, {filter.h, p.stride_height, dilation_h}, "height");
  if (!height.ok()) return height.status();
  const auto width = ComputePadding(
      p.padding, src.w, {filter.w, p.stride_width, dilation_w}, "width");
  if (!width.ok()) return width.status();
  if (auto s = CheckExtent(*height, dst.h, "height"); !s.ok()) return s;
  if (auto s = CheckExtent(*width, dst.w, "width"); !s.ok()) return s;
  auto activation = FusedActivation(p.activation);
  if (!activation.ok()) return activation.status();

  Conv2dAttributes a;
  a.stride_h = p.stride_height;
  a.stride_w = p.stride_width;
  a.dilation_h = dilation_h;
  a.dilation_w = dilation_w;
  a.pad_top = height->before;
  a.pad_bottom = height->after;
  a.pad_left = width->before;
  a.pad_right = width->after;
  a.groups = src.c / filter.c;
  return ParsedNode{a, *std::move(activation)};
}

absl::Status PlanConv2d(const Node& node, Planner* planner) {
  const auto& a = std::any_cast<const Conv2dAttributes&>(node.attributes);
  const Tensor& src = planner->tensor(node.inputs[0]);
  const Shape& window = planner->tensor(node.inputs[1]).shape;
  const WeightIds weights = WeightsOf(node, 1, 2);
  const Shape& dst = planner->tensor(node.outputs[0]).shape;
  const ConvSplit conv = {node.inputs[0], node.outputs[0], weights, a,
                          window.w,       window.h};
  const bool gated = node.inputs.size() > kConvGate;
  if (a.groups == 1 && !gated) {
    if (auto unrolled = PlanConvUnrolled(conv, planner)) {
      planner->Add(*std::move(unrolled));
      return absl::OkStatus();
    }
  }
  if (IsPointwise(a, window.w, window.h, src.shape, dst)) {
    PlanMatrixProduct({node.inputs[0], node.outputs[0], weights,
                       /*outputs=*/dst.c, /*k=*/src.shape.c, GateOf(node)},
                      planner);
    return absl::OkStatus();
  }
  if (PlanConvWinograd(node, planner)) return absl::OkStatus();

  if (a.groups == 1) {
    auto split = PlanConvShared(conv, planner);
    if (!split) split = PlanConvSplit(conv, planner);
    if (split) {
      planner->Add(*std::move(split));
      return absl::OkStatus();
    }
  }
  if (planner->profile().choices.simd_lanes > 1 &&
      IsWholeInput(a, window, src.shape, dst)) {
    PlanMatrixProduct({node.inputs[0], node.outputs[0], weights,
                       /*outputs=*/dst.c, /*k=*/window.h * window.w * window.c},
                      planner);
    return absl::OkStatus();
  }
  const Filter filter = FilterOf(window, a.groups);
  ConvTile tile = ChooseConvTile(dst.w, dst.slices(), planner->profile());
  // Slices that the outputs of one group take, and that they read.
  int group_outputs = dst.slices();
  if (a.groups > 1 && filter.groups_packed_apart()) {
    group_outputs = filter.outputs_per_group() / 4;
    while (group_outputs % tile.slices != 0) --tile.slices;
  }
  const int tiles_x = DivideUp(dst.w, tile.pixels);
  Dispatch d("conv_2d");
  d.Define("TILE_PIXELS", tile.pixels)
      .Define("TILE_SLICES", tile.slices)
      .Read("src", node.inputs[0])
      .Write("dst", node.outputs[0])
      .Grid(tiles_x * dst.h, DivideUp(dst.slices(), tile.slices), dst.b);
  BindFilter(weights, filter, planner, &d);
  d.uniforms.Int4("stride_pad", a.stride_w, a.stride_h, a.pad_left, a.pad_top);
  d.uniforms.Int4("window", window.w, window.h, a.dilation_w, a.dilation_h);
  d.uniforms.Int4("group", filter.packed_input_slices(), group_outputs, tiles_x,
                  0);
  planner->Add(std::move(d));
  return absl::OkStatus();
}

}  // namespace gles_delegate
