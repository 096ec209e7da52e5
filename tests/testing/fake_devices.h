// Devices for tests that plan or check without a GPU.
#ifndef GLES_DELEGATE_TESTS_TESTING_FAKE_DEVICES_H_
#define GLES_DELEGATE_TESTS_TESTING_FAKE_DEVICES_H_

#include <cstdint>

#include "egl/device_info.h"

namespace gles_delegate::testing {

// Has no more than OpenGL ES 3.1 promises.
inline egl::DeviceInfo SmallestDevice() {
  egl::DeviceInfo device;
  device.max_texture_size = 2048;
  device.max_array_texture_layers = 256;
  device.max_ssbo_bytes = int64_t{1} << 27;
  device.max_compute_images = device.max_image_units = 4;
  device.max_compute_ssbos = device.max_combined_shader_outputs = 4;
  device.max_compute_textures = 16;
  device.max_work_group_invocations = 128;
  device.max_work_group_size = {128, 128, 64};
  device.max_work_group_count = {65535, 65535, 65535};
  device.max_uniform_block_bytes = device.max_shared_memory_bytes = 16384;
  device.uniform_offset_alignment = 256;
  return device;
}

// Has what GPUs of desktops have.
inline egl::DeviceInfo LargeDevice() {
  egl::DeviceInfo device = SmallestDevice();
  device.max_texture_size = 16384;
  device.max_array_texture_layers = 2048;
  device.max_texel_buffer_texels = 1 << 27;
  device.max_ssbo_bytes = int64_t{1} << 31;
  device.max_compute_images = device.max_image_units = 8;
  device.max_compute_ssbos = 16;
  device.max_combined_shader_outputs = 24;
  device.max_work_group_invocations = 1024;
  device.max_work_group_size = {1024, 1024, 64};
  device.max_uniform_block_bytes = 65536;
  device.max_shared_memory_bytes = 49152;
  return device;
}

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_FAKE_DEVICES_H_
