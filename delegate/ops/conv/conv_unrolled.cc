#include "delegate/ops/conv/conv_unrolled.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "delegate/ops/conv/conv_tile.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

// What the shader spells out.
constexpr int kMaxWindow = 5;
constexpr int kMaxSrcSlices = 8;
constexpr int kMaxSlices = 8;
// Compiling so long a text pays for itself where it runs so often.
constexpr int kMinPixels = 2048;
// In one partition: what a model of very many small layers takes to start stays
// bounded. (Of the models measured, none has more than six.)
constexpr int kMostUnrolled = 24;

bool IsSpelledOut(const ConvSplit& conv, int src_slices, int slices) {
  // Undilated, so that the taps of neighbouring pixels meet.
  return conv.window_w <= kMaxWindow && conv.window_h <= kMaxWindow &&
         conv.attributes.dilation_w == 1 && src_slices <= kMaxSrcSlices &&
         slices <= kMaxSlices;
}

// A constant that can be written as literals.
bool IsFinite(TensorId id, const Planner& planner) {
  if (id == kNoTensor) return true;
  if (!planner.tensor(id).is_constant()) return false;
  const auto values = ConstantFloats(planner.tensor(id));
  return values.ok() && std::all_of(values->begin(), values->end(),
                                    [](float v) { return std::isfinite(v); });
}

// Some pixel of the output reads outside the input.
bool IsPadded(const ConvSplit& conv, const Shape& src, const Shape& dst) {
  const Conv2dAttributes& a = conv.attributes;
  const int right = (dst.w - 1) * a.stride_w - a.pad_left +
                    (conv.window_w - 1) * a.dilation_w;
  const int bottom =
      (dst.h - 1) * a.stride_h - a.pad_top + (conv.window_h - 1) * a.dilation_h;
  return a.pad_left > 0 || a.pad_top > 0 || right >= src.w || bottom >= src.h;
}

}  // namespace

std::optional<Dispatch> PlanConvUnrolled(const ConvSplit& conv,
                                         Planner* planner) {
  const DeviceProfile& profile = planner->profile();
  const Shape& src = planner->tensor(conv.src).shape;
  const Shape& dst = planner->tensor(conv.dst).shape;
  const int taps = conv.window_w * conv.window_h;
  const int terms = taps * src.slices() * dst.slices();
  if (terms > profile.choices.unrolled_terms ||
      dst.b * dst.h * dst.w < kMinPixels ||
      planner->literal_dispatches() >= kMostUnrolled ||
      !IsSpelledOut(conv, src.slices(), dst.slices()) ||
      !IsFinite(conv.weights.weights, *planner) ||
      !IsFinite(conv.weights.bias, *planner)) {
    return std::nullopt;
  }
  // More pixels save little here, and the text grows with each.
  const int pixels =
      Even(dst.w, std::clamp(profile.choices.unrolled_terms / (2 * terms), 1,
                             profile.choices.conv_tile_pixels));
  const int tiles_x = DivideUp(dst.w, pixels);
  const Conv2dAttributes& a = conv.attributes;
  Dispatch d("conv_unrolled");
  if (IsPadded(conv, src, dst)) d.Define("PADDED");
  d.Define("TILE_PIXELS", pixels)
      .Define("SLICES", dst.slices())
      .Define("SRC_SLICES", src.slices())
      .Define("LAST_CHANNELS", src.c - 4 * (src.slices() - 1))
      .Define("KERNEL_W", conv.window_w)
      .Define("KERNEL_H", conv.window_h)
      .Define("STRIDE_W", a.stride_w)
      .Read("src", conv.src)
      .Write("dst", conv.dst)
      .Grid(tiles_x * dst.h, 1, dst.b);
  BindFilter(conv.weights, {dst.c, taps, src.c, 1}, planner, &d);
  d.constants.back().literal = true;
  d.uniforms.Int4("step_pad", a.dilation_w, a.dilation_h, a.pad_left,
                  a.pad_top);
  d.uniforms.Int4("tiling", a.stride_h, tiles_x, 0, 0);
  return d;
}

}  // namespace gles_delegate
