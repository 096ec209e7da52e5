// Whether a dispatch keeps to the device's limits, for validation.
#ifndef GLES_DELEGATE_DELEGATE_RUNTIME_CHECK_LIMITS_H_
#define GLES_DELEGATE_DELEGATE_RUNTIME_CHECK_LIMITS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "delegate/plan/dispatch.h"
#include "egl/device_info.h"
#include "gl_shaders/shader.h"

namespace gles_delegate {

// Whether a dispatch keeps to `device` and, as every dispatch must (the context
// may be an app's), to the binding points that egl/gl_state.h saves.
// `bindings`: where its tensors and constants are bound, host buffers among
// `buffers`. kInternal, with the limit.
absl::Status CheckDeviceLimits(const Dispatch& dispatch,
                               const gl_shaders::Bindings& bindings,
                               int64_t params_bytes, int64_t params_offset,
                               const egl::DeviceInfo& device);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_RUNTIME_CHECK_LIMITS_H_
