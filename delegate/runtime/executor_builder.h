// Executor::Create: memory, programs and constants, then commands from
// dispatches. Here is what others need of it.
#ifndef GLES_DELEGATE_DELEGATE_RUNTIME_EXECUTOR_BUILDER_H_
#define GLES_DELEGATE_DELEGATE_RUNTIME_EXECUTOR_BUILDER_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"
#include "delegate/plan/dispatch.h"
#include "egl/device_info.h"
#include "gl_shaders/shader.h"

namespace gles_delegate {

// SpecOf() with the values of constants that the shader's text holds.
gl_shaders::ShaderSpec WholeSpecOf(const Graph& graph, const Dispatch& d,
                                   const DeviceProfile& profile);

// Bytes of a Params block in the buffer of all blocks, rounded up to the
// alignment of the next one.
size_t AlignedParamsBytes(const UniformBlock& block,
                          const egl::DeviceInfo& device);

// Whether a dispatch is within the limits of `device` and, since the context
// may be an app's, the binding points that egl/context.h saves. `bindings`: of
// its tensors and constants; `buffers` include host buffers. kInternal, with
// the limit.
absl::Status CheckDeviceLimits(const Dispatch& dispatch,
                               const gl_shaders::Bindings& bindings,
                               int64_t params_bytes, int64_t params_offset,
                               const egl::DeviceInfo& device);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_RUNTIME_EXECUTOR_BUILDER_H_
