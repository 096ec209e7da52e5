#include <utility>

#include "delegate/ops/conv/conv_strategies.h"
#include "delegate/ops/conv/conv_tile.h"
#include "delegate/ops/conv/conv_weights.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
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

}  // namespace gles_delegate
