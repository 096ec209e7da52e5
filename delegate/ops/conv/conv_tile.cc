#include "delegate/ops/conv/conv_tile.h"

namespace gles_delegate {
ConvTile ChooseConvTile(int pixels, int slices, const DeviceChoices& choices) {
  return {Even(pixels, choices.conv_tile_pixels),
          Even(slices, choices.conv_tile_slices)};
}

ConvTile ChooseFlatTile(int pixels, int slices, const DeviceChoices& choices) {
  ConvTile tile = ChooseConvTile(pixels, slices, choices);
  if (choices.simd_lanes == 1 || pixels < choices.conv_tile_pixels) return tile;
  // What the device's lanes do, idle ones and all: a tile's weights cost it as
  // much as four of its pixels (llvmpipe; a load and 32 multiply-adds are each
  // some 40 to 50 instructions).
  constexpr int kWeightPixels = 4;
  const auto cost = [&](int t) {
    const int turns = DivideUp(DivideUp(pixels, t), choices.simd_lanes);
    return int64_t{turns} * (t + kWeightPixels);
  };
  for (int t = 1; t <= 4 * choices.conv_tile_pixels; ++t) {
    if (cost(t) < cost(tile.pixels)) tile.pixels = t;
  }
  return tile;
}

}  // namespace gles_delegate
