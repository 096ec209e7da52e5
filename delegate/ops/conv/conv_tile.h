// Register tiles of convolutions: the outputs of one invocation.
#ifndef GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_TILE_H_
#define GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_TILE_H_

#include <cstdint>

#include "delegate/plan/planner.h"

namespace gles_delegate {

// A register tile of `pixels` by `slices` texels. Larger tiles reuse loads more
// often, smaller ones give more invocations.
struct ConvTile {
  int pixels = 1;
  int slices = 1;
};

// For non-negative numbers; avoids overflow for large extents.
constexpr int DivideUp(int a, int b) { return a / b + (a % b != 0 ? 1 : 0); }

// The smallest tile size, at most `most`, with the same number of tiles.
constexpr int Even(int extent, int max) {
  return DivideUp(extent, DivideUp(extent, max));
}

// The tile of `choices` (conv_tile_*), balanced so that the last tile is as
// full as the others: 6 slices with a limit of 4 make two tiles of 3.
ConvTile ChooseConvTile(int pixels, int slices, const DeviceChoices& choices);

// Multiply-adds of a convolution, and of all convolutions in the graph that
// share its program, itself included.
struct TileWork {
  int64_t convolution = 0;
  int64_t program = 0;
  // Rows of tiles that share SIMD vectors: only after the last are lanes idle.
  int rows = 1;
};

// The same for flat pixels. On a device with simd_lanes a tile may have up to
// twice as many pixels, or four times for programs with much work. It does if
// fewer lanes are idle (for 49 pixels, tiles of 4 keep 13 of 16 lanes busy,
// tiles of 7 keep 7 of 8) or weights are loaded less often. Prefers sizes that
// other layers use if that costs little.
ConvTile ChooseFlatTile(int pixels, int slices, const TileWork& work,
                        const DeviceChoices& choices);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_TILE_H_
