#include "delegate/ops/conv_split.h"

#include <algorithm>

#include "delegate/ops/conv_tile.h"
#include "delegate/ops/conv_weights.h"

namespace gles_delegate {
namespace {

// Invocations along pixels and slices of a work group, 32 texels together: the
// slices' weights are shared by the pixels, the pixels' inputs by the slices.
constexpr int kGroupPixels = 8;
constexpr int kGroupSlices = 4;
constexpr int kMinTermsALane = 4;
constexpr int kMaxLanes = 16;

}  // namespace

int SplitLanes(int texels, int terms, const DeviceProfile& profile) {
  const int cells = kGroupPixels * kGroupSlices;
  int lanes = 1;
  while (lanes * 2 <= kMaxLanes && texels < profile.split_target / lanes &&
         terms / (lanes * 2) >= kMinTermsALane &&
         lanes * 2 <= profile.max_work_group_size[2] &&
         cells * lanes * 2 <= profile.max_work_group_invocations &&
         cells * lanes * 2 * 16 <= profile.max_shared_memory_bytes) {
    lanes *= 2;
  }
  return lanes;
}

Dispatch PlanConvSplit(const ConvSplit& conv, int lanes, const Planner& planner) {
  const Shape& src = planner.tensor(conv.src).shape;
  const Shape& dst = planner.tensor(conv.dst).shape;
  const int taps = conv.window_w * conv.window_h;
  const int pixels = dst.b * dst.h * dst.w;
  const Conv2dAttributes& a = conv.attributes;
  Dispatch d("conv_split");
  const bool pointwise = taps == 1 && a.stride_w == 1 && a.stride_h == 1 &&
                         a.pad_left == 0 && a.pad_top == 0;
  if (pointwise) d.Define("POINTWISE");
  d.Define("LANES", lanes)
      .Read("src", conv.src)
      .Write("dst", conv.dst)
      .Constant(PackFilter(*conv.weights, conv.bias, {dst.c, taps, src.c, 1}))
      .Grid(pixels, dst.slices(), lanes)
      .WorkGroup(kGroupPixels, kGroupSlices, lanes);
  d.uniforms.Int4("stride_pad", a.stride_w, a.stride_h, a.pad_left, a.pad_top);
  d.uniforms.Int4("window", conv.window_w, conv.window_h, a.dilation_w, a.dilation_h);
  d.uniforms.Int4("sum_shape", pixels, taps * src.slices(), src.slices(), 0);
  return d;
}

}  // namespace gles_delegate
