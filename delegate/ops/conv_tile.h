// How much of an output one invocation of a convolution makes.
#ifndef GLES_DELEGATE_DELEGATE_OPS_CONV_TILE_H_
#define GLES_DELEGATE_DELEGATE_OPS_CONV_TILE_H_

#include "delegate/plan.h"

namespace gles_delegate {

// A register tile: `pixels` by `slices` texels. Larger tiles reuse each load
// more often, smaller ones make more invocations.
struct ConvTile {
  int pixels = 1;
  int slices = 1;
};

// The tile of `profile` (conv_tile_*), evened out so that the last tile is as
// full as the others: 6 slices under a limit of 4 make two tiles of 3.
ConvTile ChooseConvTile(int pixels, int slices, const DeviceProfile& profile);

constexpr int DivideUp(int a, int b) { return (a + b - 1) / b; }

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_CONV_TILE_H_
