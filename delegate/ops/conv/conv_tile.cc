#include "delegate/ops/conv/conv_tile.h"

#include <algorithm>
#include <array>

namespace gles_delegate {
ConvTile ChooseConvTile(int pixels, int slices, const DeviceChoices& choices) {
  return {Even(pixels, choices.conv_tile_pixels),
          Even(slices, choices.conv_tile_slices)};
}

ConvTile ChooseFlatTile(int pixels, int slices, const TileWork& work,
                        const DeviceChoices& choices) {
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
  // A tile of 16 pixels computes 1 to 12% faster than one of 8, and LLVM takes
  // twice the time for it, 0.25 s more. So much work takes 36 ms of an
  // inference (llvmpipe, 2 cores): the first hundred make up for it. A small
  // part of that work, as a detector's heads, can do without.
  constexpr int64_t kMuchWork = 720'000'000;
  constexpr int64_t kSmallPart = kMuchWork / 64;
  const bool wide = work.program >= kMuchWork && work.convolution >= kSmallPart;
  const int most = (wide ? 4 : 2) * choices.conv_tile_pixels;
  for (int t = 1; t <= most; ++t) {
    if (cost(t) < cost(tile.pixels)) tile.pixels = t;
  }
  // A size that layers share makes them one program, and the compiler of such a
  // device takes a tenth of a second or more for each. Images of 7x7 pixels and
  // their doubles fill tiles of 7 or 14; up to a fifth of the cost is given
  // for it. So light a convolution takes less than a tenth of a millisecond: it
  // would have to be repeated a thousand times before a program of its own
  // pays.
  constexpr int64_t kLight = 1'600'000;
  const int64_t bound = work.convolution < kLight ? 10 : 6;
  // Likewise slices are not evened out where a quarter of the work is nothing.
  constexpr int64_t kHeavy = 100'000'000;
  if (work.convolution < kHeavy) {
    tile.slices = std::min(slices, choices.conv_tile_slices);
  }
  const bool has_sevens = pixels % 49 == 0;
  for (int t : has_sevens ? std::array{14, 7, 7} : std::array{16, 14, 8}) {
    if (t <= most && cost(t) * 5 <= cost(tile.pixels) * bound) {
      return {t, tile.slices};
    }
  }
  return tile;
}

}  // namespace gles_delegate
