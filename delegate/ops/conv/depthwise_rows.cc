#include <algorithm>
#include <cstdint>
#include <utility>

#include "delegate/ops/conv/conv_strategies.h"
#include "delegate/ops/conv/conv_tile.h"
#include "delegate/ops/conv/conv_weights.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

// The shader keeps the weights, a row of input and the sums of all outputs that
// a row belongs to in registers or close by.
constexpr int kMaxWindow = 5;
// Rows of input between rows of output that it can spell out.
constexpr int kMaxStride = 2;
// Vectors of invocations that keep a processor's cores busy.
constexpr int kManyVectors = 16;
// Shorter strips read too many rows twice.
constexpr int kShortStrip = 7;

bool AppliesDepthwiseRows(const Convolution& conv, const Planner& planner) {
  const SlidingWindow& window = conv.window;
  // Taps of neighbouring outputs coincide if one of the two steps is 1.
  const bool meet_h = window.stride_h == 1 || window.dilation_h == 1;
  const bool meet_w = window.stride_w == 1 || window.dilation_w == 1;
  return planner.profile().choices.simd_lanes > 1 &&
         conv.kind == Convolution::Kind::kDepthwise && conv.multiplier == 1 &&
         meet_h && meet_w && conv.window_h <= kMaxWindow &&
         conv.window_w <= kMaxWindow && window.stride_h <= kMaxStride;
}

// Of an axis, for every phase of a dilation.
int PartsOfAxis(int extent, int dilation, int part) {
  const int64_t whole = int64_t{part} * dilation;
  return static_cast<int>((extent + whole - 1) / whole * dilation);
}

// Rows per strip, such that there are enough strips of similar length, in an
// image with `columns` tiles side by side, those of all slices included.
int RowsOfStrip(int rows, int64_t columns, int lanes) {
  const auto wanted =
      static_cast<int>((int64_t{kManyVectors} * lanes + columns - 1) / columns);
  const int longest = std::max(kShortStrip, DivideUp(rows, wanted));
  return Even(rows, longest);
}

void PlanDepthwiseRows(const Convolution& conv, Planner* planner) {
  const DeviceChoices& choices = planner->profile().choices;
  const SlidingWindow& window = conv.window;
  const Shape& dst = conv.dst_shape;
  // Whole tiles if the image is large enough: layers of any width then share a
  // program, whose compilation takes LLVM longer than the idle part of a tile.
  const int pixels = std::min(choices.depthwise_tile_pixels,
                              DivideUp(dst.w, window.dilation_w));
  const int tiles_x = PartsOfAxis(dst.w, window.dilation_w, pixels);
  const int rows = RowsOfStrip(
      DivideUp(dst.h, window.dilation_h),
      int64_t{tiles_x} * window.dilation_h * dst.slices(), choices.simd_lanes);
  const int strips = PartsOfAxis(dst.h, window.dilation_h, rows);
  Dispatch d("depthwise_conv_2d_rows");
  if (window.IsDilated()) d.Define("DILATED");
  d.Define("TILE_PIXELS", pixels);
  BindDepthwiseWindow(conv, &d);
  d.Read("src", conv.src)
      .Write("dst", conv.dst)
      .Grid(int64_t{tiles_x} * strips * dst.slices(), 1, dst.b);
  d.uniforms.Int4("tiling", tiles_x, strips, rows, 0);
  // One vector: a strip is long.
  d.WorkGroup(choices.simd_lanes, 1, 1);
  BindFilter(conv, planner, &d);
  planner->Add(std::move(d));
}

}  // namespace

const ConvStrategy kDepthwiseRows = {"depthwise_rows", AppliesDepthwiseRows,
                                     PlanDepthwiseRows};

}  // namespace gles_delegate
