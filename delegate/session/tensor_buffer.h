// A tensor's values in memory of this library's own, for a runtime that has its
// own kinds of buffers.
#ifndef GLES_DELEGATE_DELEGATE_SESSION_TENSOR_BUFFER_H_
#define GLES_DELEGATE_DELEGATE_SESSION_TENSOR_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "delegate/graph/graph.h"
#include "delegate/runtime/worker_thread.h"
#include "delegate/session/gpu.h"
#include "delegate/session/host_memory.h"
#include "egl/objects.h"

namespace gles_delegate {

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
  TensorBuffer(const TensorBuffer&) = delete;
  TensorBuffer& operator=(const TensorBuffer&) = delete;

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

#endif  // GLES_DELEGATE_DELEGATE_SESSION_TENSOR_BUFFER_H_
