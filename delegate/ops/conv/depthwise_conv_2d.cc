#include "delegate/ops/conv/depthwise_conv_2d.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/ops/conv/conv_2d.h"
#include "delegate/ops/conv/conv_strategies.h"
#include "delegate/ops/conv/conv_tile.h"
#include "delegate/ops/conv/conv_weights.h"
#include "delegate/ops/work_group.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

absl::StatusOr<int> DepthwiseOutputsOf(const Shape& src, const Shape& filter) {
  if (filter.b != 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "filter must be [1,H,W,O], its first dimension is ", filter.b));
  }
  if (src.c < 1 || filter.c < 1 || filter.c % src.c != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "filter has ", filter.c, " outputs, no multiple of the input's ", src.c,
        " channels"));
  }
  return filter.c;
}

}  // namespace

// Every ConvParams and DepthwiseConvParams since 2.5 has the dilations, and
// TFLite's kernels read them at any version.
absl::StatusOr<ParsedNode> ParseDepthwiseConv2d(const NodeView& node) {
  ASSIGN_OR_RETURN(auto read,
                   ReadConvNode<DepthwiseConvParams>(node, DepthwiseOutputsOf));
  const int multiplier = node.inputs[1]->shape.c / node.inputs[0]->shape.c;
  return ParsedNode{DepthwiseConv2dAttributes{read.window, multiplier},
                    std::move(read.post_ops)};
}

absl::Status PlanDepthwiseConv2d(const Node& node, Planner* planner) {
  return PlanConvNode(node, planner);
}

namespace {

bool AppliesDepthwiseDirect(const Convolution& conv, const Planner&) {
  return conv.kind == Convolution::Kind::kDepthwise;
}

void PlanDepthwiseDirect(const Convolution& conv, Planner* planner) {
  const Shape& dst = conv.dst_shape;
  const int pixels =
      Even(dst.w, planner->profile().choices.depthwise_tile_pixels);
  Dispatch d("depthwise_conv_2d");
  d.Define("TILE_PIXELS", pixels);
  if (conv.multiplier > 1) d.Define("MULTIPLIED");
  d.Read("src", conv.src)
      .Write("dst", conv.dst)
      .Grid(DivideUp(dst.w, pixels), dst.h, dst.slices() * dst.b);
  BindWindow(conv, &d);
  d.uniforms.Int("multiplier", conv.multiplier);
  BindFilter(conv, planner, &d);
  planner->Add(std::move(d));
}

}  // namespace

const ConvStrategy kDepthwiseDirect = {
    "depthwise_direct", AppliesDepthwiseDirect, PlanDepthwiseDirect};

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

namespace {

// The shader keeps a tile's columns and weights in registers.
constexpr int kMaxTiledWindow = 5;
// Rows of input that it can spell out.
constexpr int kMaxRows = 7;

bool AppliesDepthwiseTiled(const Convolution& conv, const Planner& planner) {
  const SlidingWindow& window = conv.window;
  const DeviceChoices& choices = planner.profile().choices;
  // Of one output the direct way has one program for all windows.
  if (SharesAll(choices) && choices.depthwise_tile_pixels == 1 &&
      choices.depthwise_tile_rows == 1) {
    return false;
  }
  // Taps of neighbouring outputs coincide if one of the two steps is 1.
  const bool meet_h = window.stride_h == 1 || window.dilation_h == 1;
  const bool meet_w = window.stride_w == 1 || window.dilation_w == 1;
  return conv.kind == Convolution::Kind::kDepthwise && conv.multiplier == 1 &&
         meet_h && meet_w && conv.window_h <= kMaxTiledWindow &&
         conv.window_w <= kMaxTiledWindow &&
         conv.window_w <= choices.depthwise_unrolled_taps;
}

// Tiles on one axis, for every phase of a dilation.
int64_t TilesOnAxis(int64_t extent, int64_t dilation, int tile) {
  const int64_t step = tile * dilation;
  return (extent + step - 1) / step * dilation;
}

void PlanDepthwiseTiled(const Convolution& conv, Planner* planner) {
  const DeviceProfile& profile = planner->profile();
  const SlidingWindow& window = conv.window;
  const Shape& dst = conv.dst_shape;
  const int pixels = Even(DivideUp(dst.w, window.dilation_w),
                          profile.choices.depthwise_tile_pixels);
  // One row of the window at a time is in registers, for compilers that spill.
  const int taps = conv.window_h * conv.window_w;
  const bool rolled = taps > profile.choices.depthwise_unrolled_taps;
  const int max_rows =
      rolled ? 1
             : std::max(1, (kMaxRows - conv.window_h) / window.stride_h + 1);
  const int rows =
      Even(DivideUp(dst.h, window.dilation_h),
           std::min(profile.choices.depthwise_tile_rows, max_rows));
  const int64_t tiles_x = TilesOnAxis(dst.w, window.dilation_w, pixels);
  const int64_t tiles = tiles_x * TilesOnAxis(dst.h, window.dilation_h, rows);
  Dispatch d("depthwise_conv_2d_tiled");
  d.Define("TILE_PIXELS", pixels).Define("TILE_ROWS", rows);
  BindDepthwiseWindow(conv, &d);
  d.Read("src", conv.src)
      .Write("dst", conv.dst)
      .Grid(tiles, dst.slices(), dst.b);
  d.uniforms.Float4("reciprocals",
                    {Reciprocal(tiles_x), Reciprocal(window.dilation_w),
                     Reciprocal(window.dilation_h), 0});
  d.uniforms.Int("tiles_x", static_cast<int>(tiles_x));
  BindQuotients(tiles, &d);
  if (rolled) {
    d.Define("ROLLED", 1);
    d.uniforms.Int("window_rows", conv.window_h);
  }
  if (rows == 1 && profile.choices.depthwise_by_columns != 0) {
    d.Define("BY_COLUMNS", 1);
  }
  if (profile.choices.share_programs > 0) d.Define("ROLLED_OUTPUTS");
  BindFilter(conv, planner, &d);
  planner->Add(std::move(d));
}

}  // namespace

const ConvStrategy kDepthwiseTiled = {"depthwise_tiled", AppliesDepthwiseTiled,
                                      PlanDepthwiseTiled};

}  // namespace gles_delegate
