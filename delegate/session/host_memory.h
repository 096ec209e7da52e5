// The places of a tensor's values outside of the executor: the runtime's
// memory, an app's texture or buffer, and this library's own memory.
#ifndef GLES_DELEGATE_DELEGATE_SESSION_HOST_MEMORY_H_
#define GLES_DELEGATE_DELEGATE_SESSION_HOST_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "delegate/graph/graph.h"
#include "delegate/runtime/host_transfer.h"
#include "delegate/runtime/worker_thread.h"
#include "delegate/session/gpu.h"
#include "egl/context.h"
#include "egl/objects.h"
#include "gles_delegate/gles_delegate.h"

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

// Conversions of an input or output to the executor's form, floats or int32, by
// kind of tensor:
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

// --- Objects of the app ------------------------------------------------------

// A texture or buffer in place of a tensor's memory.
struct AppObject : TfLiteGlesObject {
  AppObject() : TfLiteGlesObject{} { scale = 1; }
  explicit AppObject(const TfLiteGlesObject& whole) : TfLiteGlesObject(whole) {}

  // Of the delegate's context (TensorBuffer): the name is 0 until the next
  // inference, which knows it.
  bool is_own = false;
  uint32_t view = 0;  // as UsedObject has it

  bool is_external() const { return type == kTfLiteGlesObjectTextureExternal; }
  bool is_texture() const { return type != kTfLiteGlesObjectBuffer; }
};

// kFailedPrecondition: the tensor cannot have an object, for the reason `why`.
absl::Status CannotBind(const Tensor& tensor, absl::string_view why);

// Ok if `buffer` is a buffer of the current context with at least `bytes`
// bytes. kFailedPrecondition, with the actual state.
absl::Status CheckBuffer(uint32_t buffer, int64_t bytes);

// `object` as an input or output of a partition. Queries GL, so call it inside
// the context. kFailedPrecondition: the tensor does not match the object, or
// the context has no such object.
absl::StatusOr<UsedObject> ResolveObject(const AppObject& object,
                                         const Tensor& tensor, bool is_input,
                                         const egl::DeviceInfo& device);

// Copies a tensor's values to an app's buffer that is the tensor's handle, or
// back: floats in BHWC order. `tensor` as the runtime has it. `gpu` may be
// null: not made yet. kFailedPrecondition, with the reason: the tensor's type
// has no floats, the delegate's context does not have the app's objects, or no
// such buffer.
absl::Status CopyBuffer(const Gpu* gpu, uint32_t buffer, const Tensor& tensor,
                        const HostMemory& memory, bool to_buffer);

// --- Buffers for a runtime that has its own kinds of them --------------------

// The context and the thread of a delegate's commands.
struct GpuPlace {
  std::shared_ptr<Gpu> gpu;
  std::shared_ptr<WorkerThread> worker;  // nullptr: the caller's thread

  absl::Status Run(absl::FunctionRef<absl::Status()> fn) const;
};

// A GL buffer, and the place and the context that it was made in.
struct PlacedBuffer {
  GpuPlace place;
  std::shared_ptr<egl::Context> context;
  egl::Buffer buffer;
  egl::Texture view;  // of its texels; none: the driver has no such textures

  bool exists() const { return buffer.id() != 0; }
  bool IsIn(const GpuPlace& where) const {
    return exists() && context == where.gpu->context;
  }
  void Release();
};

// `bytes` of host memory in BHWC order, which may be a mapped GL buffer; a GL
// buffer of a tensor's texels (graph/texels.h); or both with the same values.
// Made on first use, at first zeros. Threads: one at a time; Lock() and
// Unlock() on several at once if host memory has the values.
class TensorBuffer {
 public:
  explicit TensorBuffer(size_t bytes) : bytes_(bytes) {}
  ~TensorBuffer();

  size_t bytes() const { return bytes_; }

  // Host memory of bytes(), valid until Unlock(). `reads`: with the values.
  // `writes`: the caller writes it before the next call. `place`: from the
  // second call on in a GL buffer that stays mapped there (HostMemory::buffer),
  // unless the driver has no such buffers, another context has the memory
  // already, or someone has locked it.
  // Errors of copying from the GPU; kAborted if the values were lost with its
  // context.
  absl::StatusOr<HostMemory> Lock(bool reads, bool writes,
                                  const GpuPlace* place = nullptr);
  void Unlock();
  // A GL buffer of `place` with the texels of a float tensor of this shape, of
  // at most bytes(), for shaders that read or write it. Errors of copying to
  // and from GPUs.
  struct OnGpuBuffer {
    uint32_t name = 0;
    uint32_t view = 0;  // a texture of its texels; 0: the driver has none
  };
  absl::StatusOr<OnGpuBuffer> OnGpu(const GpuPlace& place, const Shape& shape,
                                    bool reads, bool writes);

 private:
  uint8_t* OnHost();
  void Map(const GpuPlace& place);
  absl::Status MakeTexels();
  absl::Status Upload();
  absl::Status Download();

  const size_t bytes_;
  std::mutex mutex_;  // of host memory
  int locks_ = 0;
  bool has_place_ = false;     // Lock() was given one
  std::vector<uint8_t> host_;  // empty: not made yet, or mapped
  PlacedBuffer mapped_;        // host memory that the GPU accesses
  bool host_is_current_ = true;
  PlacedBuffer texels_;
  Shape shape_;  // of the texels
  bool gpu_is_current_ = false;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_SESSION_HOST_MEMORY_H_
