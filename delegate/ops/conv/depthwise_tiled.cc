#include <algorithm>
#include <cstdint>
#include <utility>

#include "delegate/ops/conv/conv_strategies.h"
#include "delegate/ops/conv/conv_tile.h"
#include "delegate/ops/conv/conv_weights.h"
#include "delegate/ops/quotient.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
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
