// The memory of a tensor of the runtime.
#ifndef GLES_DELEGATE_DELEGATE_SESSION_HOST_MEMORY_H_
#define GLES_DELEGATE_DELEGATE_SESSION_HOST_MEMORY_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "delegate/graph/graph.h"

namespace gles_delegate {

namespace egl {
class Context;
}

struct HostMemory {
  void* data = nullptr;
  size_t bytes = 0;
  const char* name = nullptr;  // the tensor's, for messages; may be null
  // A GL buffer of this context that is mapped there; 0: none.
  uint32_t buffer = 0;
  const egl::Context* context = nullptr;

  // The first n values.
  template <typename T>
  absl::Span<T> As(size_t n) const {
    return {static_cast<T*>(data), n};
  }
};

// kFailedPrecondition unless it holds `elements` of `type`.
absl::Status CheckBytes(const HostMemory& memory, size_t elements,
                        DataType type);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_SESSION_HOST_MEMORY_H_
