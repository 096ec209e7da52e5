#include "delegate/ops/conv/depthwise_conv_2d.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/conv/conv_tile.h"
#include "delegate/ops/conv/conv_weights.h"
#include "delegate/ops/fused_activation.h"
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
  if (filter.shape.b != 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "filter must be [1,H,W,O], its first dimension is ", filter.shape.b));
  }
  if (src.shape.c < 1 || filter.shape.c < 1 ||
      filter.shape.c % src.shape.c != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "filter has ", filter.shape.c, " outputs, no multiple of the input's ",
        src.shape.c, " channels"));
  }
  if (dst.shape.b != src.shape.b || dst.shape.c != filter.shape.c) {
    return absl::InvalidArgumentError(
        absl::StrCat("output is ", dst.shape.ToString(), ", input has batch ",
                     src.shape.b, " and filter ", filter.shape.c, " outputs"));
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

// The tiled shader keeps a tile's columns and weights in registers.
constexpr int kMaxTiledWindow = 5;
// Rows of input that it can spell out.
constexpr int kMaxTiledRows = 7;

bool IsTiled(const DepthwiseConv2dAttributes& a, const Shape& filter) {
  // Taps of neighbouring outputs meet where one of the two steps is 1.
  const bool meet_h = a.stride_h == 1 || a.dilation_h == 1;
  const bool meet_w = a.stride_w == 1 || a.dilation_w == 1;
  return a.multiplier == 1 && meet_h && meet_w && filter.h <= kMaxTiledWindow &&
         filter.w <= kMaxTiledWindow;
}

// Tiles on one axis, for every phase of a dilation.
int Tiles(int extent, int dilation, int tile) {
  return DivideUp(extent, tile * dilation) * dilation;
}

Dispatch Tiled(const DepthwiseConv2dAttributes& a, const Shape& filter,
               const Shape& dst, const DeviceProfile& profile) {
  const int pixels = Even(DivideUp(dst.w, a.dilation_w),
                          profile.choices.depthwise_tile_pixels);
  const int most_rows =
      std::max(1, (kMaxTiledRows - filter.h) / a.stride_h + 1);
  const int rows =
      Even(DivideUp(dst.h, a.dilation_h),
           std::min(profile.choices.depthwise_tile_rows, most_rows));
  const int tiles_x = Tiles(dst.w, a.dilation_w, pixels);
  Dispatch d("depthwise_conv_2d_tiled");
  d.Define("TILE_PIXELS", pixels)
      .Define("TILE_ROWS", rows)
      .Define("KERNEL_W", filter.w)
      .Define("KERNEL_H", filter.h)
      .Define("STRIDE_W", a.stride_w)
      .Define("STRIDE_H", a.stride_h)
      .Grid(tiles_x * Tiles(dst.h, a.dilation_h, rows), dst.slices(), dst.b);
  d.uniforms.Int4("step_pad", a.dilation_w, a.dilation_h, a.pad_left,
                  a.pad_top);
  d.uniforms.Int("tiles_x", tiles_x);
  return d;
}

Dispatch AnyWindow(const DepthwiseConv2dAttributes& a, const Shape& filter,
                   const Shape& dst, const DeviceProfile& profile) {
  const int pixels = Even(dst.w, profile.choices.depthwise_tile_pixels);
  Dispatch d("depthwise_conv_2d");
  d.Define("TILE_PIXELS", pixels);
  if (a.multiplier > 1) d.Define("MULTIPLIED");
  d.Grid(DivideUp(dst.w, pixels), dst.h, dst.slices() * dst.b);
  d.uniforms.Int4("stride_pad", a.stride_w, a.stride_h, a.pad_left, a.pad_top);
  d.uniforms.Int4("window", filter.w, filter.h, a.dilation_w, a.dilation_h);
  d.uniforms.Int("multiplier", a.multiplier);
  return d;
}

}  // namespace

absl::StatusOr<ParsedNode> ParseDepthwiseConv2d(const NodeView& node) {
  if (auto s = node.CheckCounts(2, 3, 1); !s.ok()) return s;
  const auto params = node.Get<DepthwiseConvParams>();
  if (!params.ok()) return params.status();
  const DepthwiseConvParams& p = **params;
  if (auto s = CheckTypes(node); !s.ok()) return s;
  if (auto s = CheckShapes(node); !s.ok()) return s;
  const Shape& src = node.inputs[0]->shape;
  const Shape& filter = node.inputs[1]->shape;
  const Shape& dst = node.outputs[0]->shape;
  const Tensor* bias = node.inputs.size() > 2 ? node.inputs[2] : nullptr;
  if (auto s = CheckBias(bias, filter.c); !s.ok()) return s;

  // Every struct since 2.5 has them, and TFLite's kernel reads them at any
  // version.
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

  DepthwiseConv2dAttributes a;
  a.stride_h = p.stride_height;
  a.stride_w = p.stride_width;
  a.dilation_h = dilation_h;
  a.dilation_w = dilation_w;
  a.pad_top = height->before;
  a.pad_bottom = height->after;
  a.pad_left = width->before;
  a.pad_right = width->after;
  a.multiplier = filter.c / src.c;
  return ParsedNode{a, *std::move(activation)};
}

absl::Status PlanDepthwiseConv2d(const Node& node, Planner* planner) {
  const auto& a =
      std::any_cast<const DepthwiseConv2dAttributes&>(node.attributes);
  const Shape& filter = planner->tensor(node.inputs[1]).shape;
  const Shape& dst = planner->tensor(node.outputs[0]).shape;
  const auto shape = IsTiled(a, filter) ? Tiled : AnyWindow;
  Dispatch d = shape(a, filter, dst, planner->profile());
  d.Read("src", node.inputs[0]).Write("dst", node.outputs[0]);
  BindDepthwiseFilter(WeightsOf(node, 1, 2), planner, &d);
  planner->Add(std::move(d));
  return absl::OkStatus();
}

}  // namespace gles_delegate
