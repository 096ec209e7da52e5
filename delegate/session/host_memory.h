// The memory of a tensor of the runtime, and its values in the executor's form:
// floats, or int32 for integer tensors.
#ifndef GLES_DELEGATE_DELEGATE_SESSION_HOST_MEMORY_H_
#define GLES_DELEGATE_DELEGATE_SESSION_HOST_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "delegate/graph/graph.h"
#include "delegate/runtime/host_transfer.h"
#include "egl/context.h"
#include "egl/objects.h"

namespace gles_delegate {

struct Gpu;

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

// GPU memory for a tensor of the runtime of that many bytes (zero_copy).
// nullptr unless the host may access the transfer's memory directly, that has
// so many bytes, and it is aligned as TFLite wants (64 bytes). It stays when
// the executor is rebuilt, since the app may hold its address; data is then
// copied. If the context cannot be made current, the memory stays until the
// context is destroyed. Threads: one at a time.
std::shared_ptr<char> LendMemory(std::shared_ptr<egl::Context> context,
                                 const HostTransfer& transfer, size_t bytes);

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

// --- Values ------------------------------------------------------------------

// Conversions of an input or output by kind of tensor:
//   float32, int32, quantized values on the GPU   passed unchanged
//   quantized values with a float view            dequantized and quantized
//   bool                                          widened to int32, 0 or 1
//   a host view (Tensor::host)                    converted to the view's type.
// Converted values use memory that is allocated once. Threads: one at a time.
class HostTensor {
 public:
  // `view`: the tensor as the graph has it; copied.
  explicit HostTensor(const Tensor& view);

  // The values for the executor, in `memory` or in this object's own:
  // valid until either goes. kFailedPrecondition: `memory` holds another number
  // of bytes than the partition was prepared for. kOutOfRange: an int64 value
  // past int32, where ops compute int64 in 32 bits.
  absl::StatusOr<absl::Span<const uint8_t>> Read(const HostMemory& memory);
  // The memory for the executor's output, with the same errors. Finish() then
  // converts it to `memory`.
  absl::StatusOr<absl::Span<uint8_t>> Room(const HostMemory& memory);
  void Finish(const HostMemory& memory) const;
  // Whether the executor's values differ from the runtime's.
  bool converts() const { return !values_.empty(); }

 private:
  HostMemory own() const;  // values_
  // kOutOfRange: int64 past int32, where the ops compute in 32 bits.
  absl::Status CheckRange(const HostMemory& memory) const;

  DataType stored_;     // what the runtime holds
  DataType view_;       // what the GPU holds: float32 or int32
  bool is_float_view_;  // of quantized values
  bool must_fit_;
  size_t elements_;
  Quantization quantization_;
  std::vector<uint8_t> values_;  // empty: nothing is converted
};

// --- Constants ---------------------------------------------------------------

// A partition output that is constant after folding: each Invoke copies it,
// without a dispatch.
struct ConstantOutput {
  int index;                   // the runtime's
  std::vector<uint8_t> bytes;  // as the runtime's tensor holds them

  // `tensor` is constant, and the runtime has it at `index` with this type.
  // kUnimplemented: the type is not float32, float16, an integer or bool.
  static absl::StatusOr<ConstantOutput> Of(const Tensor& tensor, int index,
                                           DataType type);

  // kFailedPrecondition: the runtime's tensor has another size.
  absl::Status CopyTo(const HostMemory& memory) const;
};

// --- Buffers of the app ------------------------------------------------------

// Copies a tensor's values between the runtime's memory and an app's buffer
// that is the tensor's handle: floats in BHWC order.

// `tensor` as the runtime has it. `gpu` may be null: not made yet.
// kFailedPrecondition, with the reason: the tensor's type has no floats, the
// delegate's context does not have the app's objects, or no such buffer.
absl::Status CopyFromBuffer(const Gpu* gpu, uint32_t buffer,
                            const Tensor& tensor, const HostMemory& memory);
absl::Status CopyToBuffer(const Gpu* gpu, uint32_t buffer, const Tensor& tensor,
                          const HostMemory& memory);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_SESSION_HOST_MEMORY_H_
