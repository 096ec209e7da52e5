// From a dispatch to what GL takes: the shader's description and the bytes of
// its Params block. Still plain data.
#ifndef GLES_DELEGATE_DELEGATE_PLAN_PROGRAM_H_
#define GLES_DELEGATE_DELEGATE_PLAN_PROGRAM_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "delegate/plan/plan.h"
#include "gl_shaders/shader.h"

namespace gles_delegate {

// The name under which the operand of post-op `index` is read.
std::string PostOperandName(int index);

// The tensors that a dispatch binds, in the order of its spec's tensors: reads,
// post-op operands, writes.
std::vector<TensorId> BoundTensors(const Dispatch& dispatch);

// The dispatch's shader on this device. Every tensor must fit some storage.
gl_shaders::ShaderSpec SpecOf(const Graph& graph, const Dispatch& dispatch,
                              const DeviceProfile& profile);

// The bytes of its Params block: what COMMON_PARAMS declares, then its own.
std::vector<uint8_t> ParamsOf(const Graph& graph, const Dispatch& dispatch);

// Whether its texels are of 16-bit floats.
bool ConstantIsHalf(const PackedConstant& constant,
                    const DeviceProfile& profile);

// Where a packed constant lives: the profile's choice if it fits, else the
// other. kResourceExhausted: neither.
absl::StatusOr<gl_shaders::Storage> ConstantStorageFor(
    const PackedConstant& constant, const DeviceProfile& profile);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PLAN_PROGRAM_H_
