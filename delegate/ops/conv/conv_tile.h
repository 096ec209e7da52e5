// How much of an output one invocation of a convolution makes.
#ifndef GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_TILE_H_
#define GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_TILE_H_

#include <cstdint>

#include "delegate/plan/planner.h"

namespace gles_delegate {

// A register tile: `pixels` by `slices` texels. Larger tiles reuse each load
// more often, smaller ones make more invocations.
struct ConvTile {
  int pixels = 1;
  int slices = 1;
};

// Of no negative numbers; no sum, which a large extent would overflow.
constexpr int DivideUp(int a, int b) { return a / b + (a % b != 0 ? 1 : 0); }

// The least tile, `most` or smaller, that makes as few tiles of `extent`.
constexpr int Even(int extent, int most) {
  return DivideUp(extent, DivideUp(extent, most));
}

// The tile of `choices` (conv_tile_*), evened out so that the last tile is as
// full as the others: 6 slices under a limit of 4 make two tiles of 3.
ConvTile ChooseConvTile(int pixels, int slices, const DeviceChoices& choices);

// Multiply-adds of a convolution, and of all those of a graph that its program
// computes, itself among them.
struct TileWork {
  int64_t convolution = 0;
  int64_t program = 0;
  // Rows of tiles that share vectors: lanes are idle after the last one alone.
  int rows = 1;
};

// Likewise for pixels taken flat. On a device with simd_lanes up to twice the
// choices' pixels are a tile, four times where the program has much to compute,
// if that leaves fewer lanes idle (of 49 pixels, tiles of 4 keep 13 of 16 lanes
// busy, tiles of 7 keep 7 of 8) or loads weights less often. Where it costs
// little, the tile has a size that other layers have, too.
ConvTile ChooseFlatTile(int pixels, int slices, const TileWork& work,
                        const DeviceChoices& choices);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_TILE_H_
