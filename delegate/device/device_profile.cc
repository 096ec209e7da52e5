#include "delegate/device/device_profile.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "delegate/device/knobs.h"
#include "egl/gl_state.h"

namespace gles_delegate {

using egl::DeviceKind;
using gl_shaders::ReadBy;
using gl_shaders::Storage;

namespace {

// The rows of the tuning table. A row sets what differs from the values in
// DeviceChoices, which are for devices that nobody has measured. The
// measurements behind the rows: docs/performance_log.md.

DeviceChoices Llvmpipe(int simd_bits) {
  DeviceChoices p;
  // A store into a buffer costs a tenth of one into an image, a load from its
  // texels no more than one from an image, and a fifth of a texelFetch.
  p.storage = Storage::kTexelBuffer;
  p.read_by = ReadBy::kImage;
  p.constants = Storage::kTexture2d;
  // An invocation must do much, as each costs; as many run abreast as a vector
  // has floats.
  p.work_group_size = 32;
  p.conv_tile_pixels = 4;
  p.conv_tile_slices = 4;
  p.depthwise_tile_pixels = 4;
  p.depthwise_tile_rows = 2;
  p.reduction_lanes = 8;
  p.simd_lanes = simd_bits > 0 ? simd_bits / 32 : 8;
  p.winograd_min_channels = 64;
  p.winograd_band_bytes = 1 << 20;
  p.fused_gate_slices = 1024;
  // Weights cost nothing as literals, and the memory is the host's own.
  p.unrolled_terms = 160;
  p.host_transfers = 1;
  return p;
}

DeviceChoices Softpipe() {
  DeviceChoices p;
  p.storage = Storage::kTexture2d;
  p.work_group_size = 16;
  p.conv_tile_slices = 2;
  p.depthwise_tile_rows = 2;
  p.reduction_lanes = 8;
  return p;
}

// An H200's.
DeviceChoices Nvidia() {
  DeviceChoices p;
  // texelFetch of 128-bit texels runs at an eighth of what buffers do.
  p.storage = Storage::kBuffer;
  p.conv_tile_slices = 2;
  p.depthwise_tile_pixels = 2;
  // Sums are split until so many invocations share them (conv_shared.cc).
  p.split_target = 48 << 10;
  p.split_tile_pixels = 2;
  p.split_tile_slices = 2;
  p.fused_depthwise_work = 1200;
  p.fused_gate_slices = 1024;
  p.winograd_min_channels = 64;
  // Past every layer measured: bounds what images of a million pixels take.
  p.winograd_band_bytes = 64 << 20;
  // Its memory is across a bus.
  p.upload_piece_bytes = 256 << 10;
  p.readback_piece_bytes = 3 << 19;
  p.staged_upload_bytes = 1 << 20;
  p.half_transfers = 1;
  return p;
}

// Behind a wrapper (virgl, zink, ANGLE, ...) another compiler and another way
// to the memory stand between: nothing that was measured on the device itself
// holds. So nothing is asked of a wrapper that a driver can do without: no
// literal weights (virgl sends a shader's text in pieces, and its own compiler
// answered wrongly for the demo's), no fusions, no Winograd, no mapped tensors.
// Only how much an invocation does follows from what computes.
DeviceChoices Wrapped(const egl::DeviceInfo& device) {
  DeviceChoices p;
  if (!device.software) return p;
  p.work_group_size = 32;
  p.conv_tile_slices = 4;
  p.depthwise_tile_rows = 2;
  p.reduction_lanes = 8;
  return p;
}

DeviceChoices RowFor(const egl::DeviceInfo& device) {
  if (device.wrapper != egl::Wrapper::kNone) return Wrapped(device);
  switch (device.kind) {
    case DeviceKind::kLlvmpipe:
      return Llvmpipe(device.simd_bits);
    case DeviceKind::kSoftpipe:
      return Softpipe();
    case DeviceKind::kNvidia:
      return Nvidia();
    default:
      return DeviceChoices();
  }
}

DeviceLimits LimitsOf(const egl::DeviceInfo& device) {
  DeviceLimits limits;
  limits.max_texture_size = device.max_texture_size;
  limits.max_texture_layers = device.max_array_texture_layers;
  limits.max_texel_buffer_texels = device.max_texel_buffer_texels;
  // Indices in shaders are 32-bit ints.
  limits.max_buffer_bytes = std::min<int64_t>(
      device.max_ssbo_bytes, std::numeric_limits<int32_t>::max());
  // No more than are saved of an app's context (egl/gl_state.h).
  limits.max_images = std::min(
      {egl::kImageUnits, device.max_compute_images, device.max_image_units});
  limits.max_buffers = std::min(egl::kStorageBuffers, device.max_compute_ssbos);
  limits.max_textures =
      std::min(egl::kTextureUnits, device.max_compute_textures);
  limits.max_outputs = device.max_combined_shader_outputs;
  limits.max_work_group_invocations = device.max_work_group_invocations;
  limits.max_work_group_size = device.max_work_group_size;
  limits.max_work_group_count = device.max_work_group_count;
  limits.max_uniform_block_bytes = device.max_uniform_block_bytes;
  limits.max_shared_memory_bytes = device.max_shared_memory_bytes;
  return limits;
}

}  // namespace

std::optional<Storage> StorageOption(int option) {
  switch (option) {
    case 1:
      return Storage::kTextureArray;
    case 2:
      return Storage::kTexture2d;
    case 3:
      return Storage::kBuffer;
    default:
      return std::nullopt;
  }
}

DeviceProfile ProfileFor(const egl::DeviceInfo& device,
                         const PlanningOptions& options) {
  DeviceProfile profile = {LimitsOf(device), RowFor(device), options};
  DeviceChoices* choices = &profile.choices;
  choices->storage = options.storage.value_or(choices->storage);
  // For finding a new device's row.
  const char* tuning = std::getenv("GLES_DELEGATE_TUNING");
  if (tuning != nullptr) ApplyTuning(tuning, choices);
  return profile;
}

}  // namespace gles_delegate
