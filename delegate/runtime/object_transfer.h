// The dispatches between an app's textures or buffers and the tensors that they
// replace: bound_input.comp and bound_output.comp.
#ifndef GLES_DELEGATE_DELEGATE_RUNTIME_OBJECT_TRANSFER_H_
#define GLES_DELEGATE_DELEGATE_RUNTIME_OBJECT_TRANSFER_H_

#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"
#include "delegate/plan/dispatch.h"
#include "delegate/plan/hazards.h"
#include "delegate/runtime/object_form.h"
#include "gl_shaders/shader.h"

namespace gles_delegate {

// Reads an object of `form` into the tensor, or writes the tensor to it.
Dispatch ObjectTransfer(const Graph& graph, TensorId id, const ObjectForm& form,
                        bool is_upload, const DeviceProfile& profile);

// The dispatch's own members of its Params block that may change between
// Invokes.
UniformBlock ScalingUniforms(const ObjectForm& form,
                             const ObjectScaling& scaling);

// The object's binding point, after the dispatch's other bindings; `form` of
// kind kNone: a host buffer.
gl_shaders::Bindings::Point ObjectBinding(const ObjectForm& form,
                                          bool is_upload,
                                          const gl_shaders::Bindings& others);
AccessKind AccessKindOf(gl_shaders::Bindings::Kind kind);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_RUNTIME_OBJECT_TRANSFER_H_
