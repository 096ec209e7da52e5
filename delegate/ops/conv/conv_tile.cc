#include "delegate/ops/conv/conv_tile.h"

#include <array>

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
  const int most = 4 * choices.conv_tile_pixels;
  for (int t = 1; t <= most; ++t) {
    if (cost(t) < cost(tile.pixels)) tile.pixels = t;
  }
  // A size that layers share makes them one program, and the compiler of such a
  // device takes half a second or more for each. Images of 7x7 pixels and their
  // doubles fill tiles of 7 or 14; up to a twelfth of the cost is given for it.
  const bool has_sevens = pixels % 49 == 0;
  for (int t : has_sevens ? std::array{14, 7} : std::array{16, 14}) {
    if (t <= most && cost(t) * 12 <= cost(tile.pixels) * 13) {
      return {t, tile.slices};
    }
  }
  return tile;
}

}  // namespace gles_delegate
