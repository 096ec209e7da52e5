// The parts of a device profile that the driver determines.
#include <algorithm>
#include <limits>

#include "absl/strings/match.h"
#include "delegate/device/device_profile.h"
#include "egl/gl_state.h"

namespace gles_delegate {

using egl::DeviceKind;

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

DeviceFaults FaultsOf(const egl::DeviceInfo& device) {
  DeviceFaults faults;
  faults.infinite_halves_are_nan = device.kind == DeviceKind::kSwiftShader;
  // selfie_segmentation's programs were compiled up to four times.
  faults.compiles_by_sizes = device.kind == DeviceKind::kLlvmpipe &&
                             device.wrapper == egl::Wrapper::kNone;
  // By NVIDIA's own driver, or by Nouveau.
  const bool is_nvidia = device.kind == DeviceKind::kNvidia &&
                         device.wrapper == egl::Wrapper::kNone;
  const bool is_mesa = absl::StrContains(device.version, "Mesa");
  faults.unpack_half_fails = is_nvidia && is_mesa;
  faults.compiles_in_turn = is_nvidia && !is_mesa;
  return faults;
}

}  // namespace gles_delegate
