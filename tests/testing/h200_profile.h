// NVIDIA's row with an H200's limits, for tests that plan without one.
#ifndef GLES_DELEGATE_TESTS_TESTING_H200_PROFILE_H_
#define GLES_DELEGATE_TESTS_TESTING_H200_PROFILE_H_

#include "delegate/device/device_profile.h"
#include "tests/testing/fake_devices.h"

namespace gles_delegate::testing {

inline DeviceProfile H200Profile(int shared_bytes = 48 << 10) {
  egl::DeviceInfo device = LargeDevice();
  device.kind = egl::DeviceKind::kNvidia;
  DeviceProfile profile = ProfileFor(device, {});
  profile.limits.max_work_group_invocations = 1024;
  profile.limits.max_work_group_size = {1024, 1024, 64};
  profile.limits.max_work_group_count = {65535, 65535, 65535};
  profile.limits.max_shared_memory_bytes = shared_bytes;
  return profile;
}

// A device with room for operands, whose programs share tiles.
inline DeviceProfile RoomyH200Profile() {
  DeviceProfile profile = H200Profile();
  profile.limits.max_buffers = profile.limits.max_images =
      profile.limits.max_textures = profile.limits.max_outputs = 16;
  return profile;
}

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_H200_PROFILE_H_
