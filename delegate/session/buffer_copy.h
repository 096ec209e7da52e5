// Copies a tensor's values between the runtime's memory and an app's buffer
// that is the tensor's handle: floats in BHWC order.
#ifndef GLES_DELEGATE_DELEGATE_SESSION_BUFFER_COPY_H_
#define GLES_DELEGATE_DELEGATE_SESSION_BUFFER_COPY_H_

#include <cstdint>

#include "absl/status/status.h"
#include "delegate/graph/graph.h"
#include "delegate/session/gpu.h"
#include "delegate/session/host_memory.h"

namespace gles_delegate {

// `tensor` as the runtime has it. `gpu` may be null: not made yet.
// kFailedPrecondition, with the reason: the tensor's type has no floats, the
// delegate's context does not have the app's objects, or no such buffer.
absl::Status CopyFromBuffer(const Gpu* gpu, uint32_t buffer,
                            const Tensor& tensor, const HostMemory& memory);
absl::Status CopyToBuffer(const Gpu* gpu, uint32_t buffer, const Tensor& tensor,
                          const HostMemory& memory);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_SESSION_BUFFER_COPY_H_
