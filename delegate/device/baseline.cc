#include "delegate/device/baseline.h"

namespace gles_delegate {

DeviceChoices BaselineChoices(DeviceChoices choices) {
  choices.conv_tile_pixels = 1;
  choices.conv_tile_slices = 1;
  choices.depthwise_tile_pixels = 1;
  choices.depthwise_tile_rows = 1;
  choices.reduction_lanes = 1;
  choices.split_k_target = 0;
  choices.fused_depthwise_work = 0;
  choices.fused_plane_work = 0;
  choices.fused_next_texels = 0;
  choices.read_through = 0;
  choices.fused_squeeze_texels = 0;
  choices.winograd_min_channels = 0;
  choices.unrolled_terms = 0;
  choices.half_arithmetic = 0;
  choices.share_programs = kMaxSharing;
  return choices;
}

}  // namespace gles_delegate
