// From a dispatch to what GL takes: the shader's description and its Params
// block. Still plain data.
#ifndef GLES_DELEGATE_DELEGATE_PLAN_DISPATCH_SHADER_H_
#define GLES_DELEGATE_DELEGATE_PLAN_DISPATCH_SHADER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "delegate/device/device_profile.h"
#include "delegate/plan/dispatch.h"
#include "gl_shaders/shader.h"

namespace gles_delegate {

// The name under which the operand of post-op `index` is read.
std::string PostOperandName(int index);

// The tensors that a dispatch binds, in the order of its spec's tensors: reads,
// post-op operands, writes.
std::vector<TensorId> BoundTensors(const Dispatch& dispatch);
// Those of them whose values count: reads, and operands of post-ops that it
// does not skip.
std::vector<TensorId> ReadTensors(const Dispatch& dispatch);

// The dispatch's shader on this device. Every tensor must fit some storage.
gl_shaders::ShaderSpec SpecOf(const Graph& graph, const Dispatch& dispatch,
                              const DeviceProfile& profile);

// The dispatch's whole Params block: the members that COMMON_PARAMS declares,
// by the same names (gl_shaders/shader.h), then the dispatch's own.
UniformBlock ParamsOf(const Graph& graph, const Dispatch& dispatch);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PLAN_DISPATCH_SHADER_H_
