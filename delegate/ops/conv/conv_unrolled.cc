#include <algorithm>
#include <utility>

#include "delegate/ops/conv/conv_strategies.h"
#include "delegate/ops/conv/conv_tile.h"
#include "delegate/ops/conv/conv_weights.h"
#include "delegate/ops/conv/literal_weights.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

// Limits of the unrolled shader.
constexpr int kMaxUnrolledWindow = 5;
constexpr int kMaxSrcSlices = 8;
constexpr int kMaxSlices = 8;

bool IsConvSpelledOut(const Convolution& conv) {
  // Undilated, so that the taps of neighbouring pixels meet.
  return conv.window_w <= kMaxUnrolledWindow &&
         conv.window_h <= kMaxUnrolledWindow && conv.window.dilation_w == 1 &&
         conv.src_shape.slices() <= kMaxSrcSlices &&
         conv.dst_shape.slices() <= kMaxSlices;
}

bool AppliesConvUnrolled(const Convolution& conv, const Planner& planner) {
  return conv.kind == Convolution::Kind::kWindow && conv.filter.groups == 1 &&
         conv.input_stage.empty() && IsConvSpelledOut(conv) &&
         PaysAsLiterals(conv, planner);
}

void PlanConvUnrolled(const Convolution& conv, Planner* planner) {
  const DeviceProfile& profile = planner->profile();
  const Shape& src = conv.src_shape;
  const Shape& dst = conv.dst_shape;
  const SlidingWindow& window = conv.window;
  // More pixels save little here, and the text grows with each.
  const int pixels = Even(
      dst.w, std::clamp(profile.choices.unrolled_terms / (2 * BlocksOf(conv)),
                        1, profile.choices.conv_tile_pixels));
  const int tiles_x = DivideUp(dst.w, pixels);
  Dispatch d("conv_unrolled");
  if (conv.ReadsOutside()) d.Define("PADDED");
  d.Define("TILE_PIXELS", pixels)
      .Define("SLICES", dst.slices())
      .Define("SRC_SLICES", src.slices())
      .Define("LAST_CHANNELS", src.c - 4 * (src.slices() - 1))
      .Define("KERNEL_W", conv.window_w)
      .Define("KERNEL_H", conv.window_h)
      .Define("STRIDE_W", window.stride_w)
      .Read("src", conv.src)
      .Write("dst", conv.dst)
      .Grid(tiles_x * dst.h, 1, dst.b);
  BindFilter(conv, planner, &d);
  d.constants.back().literal = true;
  d.uniforms.Int4("step_pad", window.dilation_w, window.dilation_h,
                  window.pad_left, window.pad_top);
  d.uniforms.Int4("tiling", window.stride_h, tiles_x, 0, 0);
  planner->Add(std::move(d));
}

}  // namespace

const ConvStrategy kConvUnrolled = {"conv_unrolled", AppliesConvUnrolled,
                                    PlanConvUnrolled};

}  // namespace gles_delegate
