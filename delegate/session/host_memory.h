// The memory of a tensor of the runtime.
#ifndef GLES_DELEGATE_DELEGATE_SESSION_HOST_MEMORY_H_
#define GLES_DELEGATE_DELEGATE_SESSION_HOST_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "delegate/graph/graph.h"
#include "delegate/runtime/host_transfer.h"
#include "egl/context.h"
#include "egl/objects.h"

namespace gles_delegate {

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

// --- Memory that the runtime's tensors borrow --------------------------------

// GPU memory that holds a tensor of the runtime (zero_copy).

// It stays when the executor is rebuilt, since the app may hold its address;
// data is then copied. Threads: one at a time.
class LentMemory {
 public:
  // nullptr unless the host may access the transfer's memory directly, and a
  // tensor of that many bytes may be there.
  static std::unique_ptr<LentMemory> Of(std::shared_ptr<egl::Context> context,
                                        const HostTransfer& transfer,
                                        size_t bytes);
  // If the context cannot be made current, the memory is released with it.
  ~LentMemory();
  LentMemory(const LentMemory&) = delete;
  LentMemory& operator=(const LentMemory&) = delete;

  char* data() const { return reinterpret_cast<char*>(buffer_->mapped()); }

 private:
  LentMemory(std::shared_ptr<egl::Context> context,
             std::shared_ptr<egl::Buffer> buffer);

  std::shared_ptr<egl::Context> context_;
  std::shared_ptr<egl::Buffer> buffer_;
};

// --- States ------------------------------------------------------------------

// Tracks whether the GPU or the runtime has the newest values of a variable
// tensor.
//
// State (of an LSTM or SVDF) stays on the GPU between Invokes. The runtime's
// buffer for it is then outdated and marked: its first four bytes become a
// special NaN. Any write to the tensor removes the mark: by TFLite, when
// AllocateTensors or TfLiteInterpreterResetVariableTensors zeroes it, or by an
// app that sets a state. An Invoke uploads an unmarked buffer, and otherwise
// continues with the GPU's state. This is necessary since delegates are not
// told of resets.
//
// Reading a variable tensor on the CPU therefore gives its state only until the
// first Invoke. The reader refuses nodes whose state another node uses too.

// `memory` must hold at least four bytes, or be none.
void MarkStateOnGpu(const HostMemory& memory);
bool IsStateOnGpu(const HostMemory& memory);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_SESSION_HOST_MEMORY_H_
