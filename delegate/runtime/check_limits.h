// Validation: checks that a dispatch is within the device's limits.
#ifndef GLES_DELEGATE_DELEGATE_RUNTIME_CHECK_LIMITS_H_
#define GLES_DELEGATE_DELEGATE_RUNTIME_CHECK_LIMITS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "delegate/plan/dispatch.h"
#include "egl/device_info.h"
#include "gl_shaders/shader.h"

namespace gles_delegate {

// Whether a dispatch is within the limits of `device` and, since the context
// may be an app's, the binding points that egl/gl_state.h saves. `bindings`: of
// its tensors and constants; `buffers` include host buffers. kInternal, with
// the limit.
absl::Status CheckDeviceLimits(const Dispatch& dispatch,
                               const gl_shaders::Bindings& bindings,
                               int64_t params_bytes, int64_t params_offset,
                               const egl::DeviceInfo& device);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_RUNTIME_CHECK_LIMITS_H_
