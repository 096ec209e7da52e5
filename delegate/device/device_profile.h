// The tuning table: how each driver family is used best.
#ifndef GLES_DELEGATE_DELEGATE_DEVICE_DEVICE_PROFILE_H_
#define GLES_DELEGATE_DELEGATE_DEVICE_DEVICE_PROFILE_H_

#include "delegate/plan/plan.h"
#include "egl/device_info.h"

namespace gles_delegate {

struct ProfileOptions {
  bool half = false;
  int storage = 0;  // TfLiteGlesStorage
  bool saturate_halves = false;
};

// The table's row for the device, its limits filled in, the options applied.
DeviceProfile ProfileFor(const egl::DeviceInfo& device,
                         const ProfileOptions& options);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_DEVICE_DEVICE_PROFILE_H_
