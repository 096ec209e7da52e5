// Converts a dispatch to its shader description and Params block, still as
// plain data.
#ifndef GLES_DELEGATE_DELEGATE_PLAN_DISPATCH_SHADER_H_
#define GLES_DELEGATE_DELEGATE_PLAN_DISPATCH_SHADER_H_

#include <vector>

#include "delegate/device/device_profile.h"
#include "delegate/plan/dispatch.h"
#include "gl_shaders/shader.h"

namespace gles_delegate {

// The tensors that a dispatch binds, in the order of its spec: reads, operands
// of post-ops and of stages, writes.
std::vector<TensorId> BoundTensors(const Dispatch& dispatch);
// The tensors whose values it uses: reads, operands of post-ops that are not
// skipped, and those of stages.
std::vector<TensorId> ReadTensors(const Dispatch& dispatch);

// The dispatch's shader on this device. Every tensor must have some storage.
gl_shaders::ShaderSpec SpecOf(const Graph& graph, const Dispatch& dispatch,
                              const DeviceProfile& profile);

// The complete Params block: the members of COMMON_PARAMS with the same names
// (gl_shaders/shader.h), then the dispatch's own.
UniformBlock ParamsOf(const Graph& graph, const Dispatch& dispatch);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PLAN_DISPATCH_SHADER_H_
