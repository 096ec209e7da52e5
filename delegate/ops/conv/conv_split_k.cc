#include <algorithm>
#include <utility>

#include "delegate/ops/conv/conv_strategies.h"
#include "delegate/ops/conv/conv_tile.h"
#include "delegate/ops/conv/conv_weights.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

// Invocations along pixels and slices of a work group, 32 together: the slices'
// weights are shared by the pixels, the pixels' inputs by the slices.
constexpr int kGroupPixels = 8;
constexpr int kGroupSlices = 4;
constexpr int kCells = kGroupPixels * kGroupSlices;
// Outputs of an invocation, chosen on NVIDIA's GPUs; no other preset uses
// split-K.
constexpr int kMaxTilePixels = 2;
constexpr int kMaxTileSlices = 2;
constexpr int kMinTermsALane = 4;
constexpr int kMaxSplitLanes = 16;

struct Split {
  ConvTile tile;
  int lanes = 1;
};

int64_t SplitSharedBytes(const Split& s) {
  return int64_t{16} * kCells * s.lanes * s.tile.pixels * s.tile.slices;
}

bool SplitFits(const Split& s, const DeviceLimits& limits) {
  return s.lanes <= limits.max_work_group_size[2] &&
         kCells * s.lanes <= limits.max_work_group_invocations &&
         SplitSharedBytes(s) <= limits.max_shared_memory_bytes;
}

// The fewest lanes that fill the device with sums of `terms`, `tiles` of them.
int LanesFor(int64_t tiles, int terms, const ConvTile& tile,
             const DeviceProfile& profile) {
  int lanes = 1;
  while (lanes * 2 <= kMaxSplitLanes &&
         tiles * lanes < profile.choices.split_k_target &&
         terms / (lanes * 2) >= kMinTermsALane &&
         SplitFits({tile, lanes * 2}, profile.limits)) {
    lanes *= 2;
  }
  return lanes;
}

Split Choose(const Convolution& conv, const DeviceProfile& profile) {
  const int pixels = conv.pixels();
  const int slices = conv.dst_shape.slices();
  const ConvTile tile = {std::min(kMaxTilePixels, pixels),
                         std::min(kMaxTileSlices, slices)};
  const int64_t tiles =
      int64_t{DivideUp(pixels, tile.pixels)} * DivideUp(slices, tile.slices);
  return {tile, LanesFor(tiles, conv.term_texels(), tile, profile)};
}

// Does not apply if the output nearly fills the device: one lane per sum then.
bool AppliesConvSplitK(const Convolution& conv, const Planner& planner) {
  return planner.profile().choices.split_k_target > 0 && conv.IsTiled() &&
         conv.input_stage.empty() && !conv.quantized_rows &&
         Choose(conv, planner.profile()).lanes > 1;
}

void PlanConvSplitK(const Convolution& conv, Planner* planner) {
  const Split split = Choose(conv, planner->profile());
  Dispatch d("conv_split_k");
  if (conv.IsPointwise()) d.Define("POINTWISE");
  d.Define("LANES", split.lanes)
      .Define("TILE_PIXELS", split.tile.pixels)
      .Define("TILE_SLICES", split.tile.slices)
      .Read("src", conv.src)
      .Write("dst", conv.dst)
      .Grid(DivideUp(conv.pixels(), split.tile.pixels),
            DivideUp(conv.dst_shape.slices(), split.tile.slices), split.lanes)
      .WorkGroup(kGroupPixels, kGroupSlices, split.lanes)
      .SharedMemory(SplitSharedBytes(split));
  BindFilter(conv, planner, &d);
  BindWindow(conv, &d);
  d.uniforms.Int4("sum_shape", conv.pixels(), conv.term_texels(),
                  conv.src_shape.slices(), 0);
  planner->Add(std::move(d));
}

}  // namespace

const ConvStrategy kConvSplitK = {"conv_split_k", AppliesConvSplitK,
                                  PlanConvSplitK};

}  // namespace gles_delegate
