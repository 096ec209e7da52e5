// Devices for tests that plan or check without a GPU.
#ifndef GLES_DELEGATE_TESTS_TESTING_FAKE_DEVICES_H_
#define GLES_DELEGATE_TESTS_TESTING_FAKE_DEVICES_H_

#include <cstdint>

#include "egl/device_info.h"

namespace gles_delegate::testing {

// Has no more than OpenGL ES 3.1 promises.
inline egl::DeviceInfo SmallestDevice() { return egl::DeviceInfo(); }

// Has what GPUs of desktops have.
inline egl::DeviceInfo LargeDevice() {
  egl::DeviceInfo device = SmallestDevice();
  device.max_texture_size = 16384;
  device.max_texture_layers = 2048;
  device.max_texel_buffer_texels = 1 << 27;
  device.max_buffer_bytes = int64_t{1} << 31;
  device.max_images = device.max_image_units = 8;
  device.max_buffers = 16;
  device.max_outputs = 24;
  device.max_work_group_invocations = 1024;
  device.max_work_group_size = {1024, 1024, 64};
  device.max_uniform_block_bytes = 65536;
  device.max_shared_memory_bytes = 49152;
  return device;
}

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_FAKE_DEVICES_H_
