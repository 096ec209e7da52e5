#include <cstdint>
#include <utility>

#include "delegate/ops/conv/conv_strategies.h"
#include "delegate/ops/conv/conv_tile.h"
#include "delegate/ops/conv/conv_weights.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

bool AppliesTransposeDirect(const Convolution& conv, const Planner&) {
  return conv.kind == Convolution::Kind::kTransposed;
}

void PlanTransposeDirect(const Convolution& conv, Planner* planner) {
  const SlidingWindow& window = conv.window;
  const Shape& dst = conv.dst_shape;
  // A tile's pixels are a stride apart, so each phase has its own tiles.
  const ConvTile tile =
      ChooseConvTile(DivideUp(dst.w, window.stride_w), dst.slices(),
                     planner->profile().choices);
  const int64_t step = int64_t{tile.pixels} * window.stride_w;
  const int64_t tiles_x = (dst.w + step - 1) / step * window.stride_w;
  Dispatch d("transpose_conv");
  d.Define("TILE_PIXELS", tile.pixels)
      .Define("TILE_SLICES", tile.slices)
      .Read("src", conv.src)
      .Write("dst", conv.dst)
      .Grid(tiles_x, dst.h, DivideUp(dst.slices(), tile.slices) * dst.b);
  if (planner->profile().choices.share_programs > 0) d.Define("ROLLED_OUTPUTS");
  BindFilter(conv, planner, &d);
  d.uniforms.Int4("stride_pad", window.stride_w, window.stride_h,
                  window.pad_left, window.pad_top);
  d.uniforms.Int4("window", conv.window_w, conv.window_h, 0, 0);
  planner->Add(std::move(d));
}

}  // namespace

const ConvStrategy kTransposeDirect = {
    "transpose_direct", AppliesTransposeDirect, PlanTransposeDirect};

}  // namespace gles_delegate
