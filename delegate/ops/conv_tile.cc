#include "delegate/ops/conv_tile.h"

namespace gles_delegate {
ConvTile ChooseConvTile(int pixels, int slices, const DeviceProfile& profile) {
  return {Even(pixels, profile.conv_tile_pixels),
          Even(slices, profile.conv_tile_slices)};
}

ConvTile ChooseFlatTile(int pixels, int slices, const DeviceProfile& profile) {
  ConvTile tile = ChooseConvTile(pixels, slices, profile);
  if (profile.simd_lanes == 1 || pixels < profile.conv_tile_pixels) return tile;
  // Pixels made, idle lanes and all.
  const auto cost = [&](int t) {
    const int lanes = profile.simd_lanes;
    return int64_t{DivideUp(DivideUp(pixels, t), lanes)} * lanes * t;
  };
  for (int t = tile.pixels + 1; t <= 2 * profile.conv_tile_pixels; ++t) {
    if (cost(t) < cost(tile.pixels)) tile.pixels = t;
  }
  return tile;
}

}  // namespace gles_delegate
