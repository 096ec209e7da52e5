#include "delegate/ops/conv/conv_split.h"

#include <algorithm>

#include "delegate/ops/conv/conv_tile.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

// Invocations along pixels and slices of a work group, 32 together: the slices'
// weights are shared by the pixels, the pixels' inputs by the slices.
constexpr int kGroupPixels = 8;
constexpr int kGroupSlices = 4;
constexpr int kCells = kGroupPixels * kGroupSlices;
constexpr int kMinTermsALane = 4;
constexpr int kMaxLanes = 16;

struct Split {
  ConvTile tile;
  int lanes = 1;
};

int64_t SharedBytes(const Split& s) {
  return int64_t{16} * kCells * s.lanes * s.tile.pixels * s.tile.slices;
}

bool Fits(const Split& s, const DeviceProfile& profile) {
  return s.lanes <= profile.limits.max_work_group_size[2] &&
         kCells * s.lanes <= profile.limits.max_work_group_invocations &&
         SharedBytes(s) <= profile.limits.max_shared_memory_bytes;
}

// The fewest lanes that fill the device with sums of `terms`, `tiles` of them.
int LanesFor(int64_t tiles, int terms, const ConvTile& tile,
             const DeviceProfile& profile) {
  int lanes = 1;
  while (lanes * 2 <= kMaxLanes &&
         tiles * lanes < profile.choices.split_target &&
         terms / (lanes * 2) >= kMinTermsALane &&
         Fits({tile, lanes * 2}, profile)) {
    lanes *= 2;
  }
  return lanes;
}

Split Choose(int pixels, int slices, int terms, const DeviceProfile& profile) {
  const ConvTile tile = {std::min(profile.choices.split_tile_pixels, pixels),
                         std::min(profile.choices.split_tile_slices, slices)};
  const int64_t tiles =
      int64_t{DivideUp(pixels, tile.pixels)} * DivideUp(slices, tile.slices);
  return {tile, LanesFor(tiles, terms, tile, profile)};
}

}  // namespace

std::optional<Dispatch> PlanConvSplit(const ConvSplit& conv, Planner* planner) {
  const Shape& src = planner->tensor(conv.src).shape;
  const Shape& dst = planner->tensor(conv.dst).shape;
  const int taps = conv.window_w * conv.window_h;
  const int terms = taps * src.slices();
  const int pixels = dst.b * dst.h * dst.w;
  if (planner->profile().choices.split_target == 0 ||
      conv.gate.gate != kNoTensor) {
    return std::nullopt;
  }
  const Split split = Choose(pixels, dst.slices(), terms, planner->profile());
  if (split.lanes < 2) return std::nullopt;

  const Conv2dAttributes& a = conv.attributes;
  Dispatch d("conv_split");
  if (IsPointwise(a, conv.window_w, conv.window_h, src, dst)) {
    d.Define("POINTWISE");
  }
  d.Define("LANES", split.lanes)
      .Define("TILE_PIXELS", split.tile.pixels)
      .Define("TILE_SLICES", split.tile.slices)
      .Read("src", conv.src)
      .Write("dst", conv.dst)
      .Grid(DivideUp(pixels, split.tile.pixels),
            DivideUp(dst.slices(), split.tile.slices), split.lanes)
      .WorkGroup(kGroupPixels, kGroupSlices, split.lanes)
      .SharedMemory(SharedBytes(split));
  BindFilter(conv.weights, {dst.c, taps, src.c, 1}, planner, &d);
  d.uniforms.Int4("stride_pad", a.stride_w, a.stride_h, a.pad_left, a.pad_top);
  d.uniforms.Int4("window", conv.window_w, conv.window_h, a.dilation_w,
                  a.dilation_h);
  d.uniforms.Int4("sum_shape", pixels, terms, src.slices(), 0);
  return d;
}

}  // namespace gles_delegate
