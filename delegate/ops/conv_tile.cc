#include "delegate/ops/conv_tile.h"

namespace gles_delegate {
namespace {

int Even(int extent, int most) {
  return DivideUp(extent, DivideUp(extent, most));
}

}  // namespace

ConvTile ChooseConvTile(int pixels, int slices, const DeviceProfile& profile) {
  return {Even(pixels, profile.conv_tile_pixels),
          Even(slices, profile.conv_tile_slices)};
}

}  // namespace gles_delegate
