// A tensor's values that stay where they were written last, such as the caches
// of a language model between two tokens.
#ifndef GLES_DELEGATE_DELEGATE_SESSION_TENSOR_BUFFER_H_
#define GLES_DELEGATE_DELEGATE_SESSION_TENSOR_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "delegate/graph/graph.h"
#include "delegate/runtime/worker_thread.h"
#include "delegate/session/gpu.h"
#include "egl/objects.h"

namespace gles_delegate {

// The context and the thread of a delegate's commands.
struct GpuPlace {
  std::shared_ptr<Gpu> gpu;
  std::shared_ptr<WorkerThread> worker;  // nullptr: the caller's thread

  absl::Status Run(absl::FunctionRef<absl::Status()> fn) const;
};

// `bytes` of host memory in BHWC order, a GL buffer of a tensor's texels
// (graph/texels.h), or both with the same values; made on first use, at first
// zeros. Threads: one at a time.
class TensorBuffer {
 public:
  explicit TensorBuffer(size_t bytes) : bytes_(bytes) {}
  ~TensorBuffer();
  TensorBuffer(const TensorBuffer&) = delete;
  TensorBuffer& operator=(const TensorBuffer&) = delete;

  size_t bytes() const { return bytes_; }

  // Host memory of bytes(), valid until the buffer is destroyed. `reads`: with
  // the values. `writes`: the caller writes it before the next call. Errors of
  // copying from the GPU; kAborted if the values were lost with its context.
  absl::StatusOr<void*> OnHost(bool reads, bool writes);
  // A GL buffer of `place` with the texels of a float tensor of this shape, for
  // shaders that read or write it. Errors of copying to and from GPUs;
  // kInvalidArgument: the tensor has more than bytes().
  struct OnGpuBuffer {
    uint32_t name = 0;
    uint32_t view = 0;  // a texture of its texels; 0: the driver has none
  };
  absl::StatusOr<OnGpuBuffer> OnGpu(const GpuPlace& place, const Shape& shape,
                                    bool reads, bool writes);

 private:
  bool IsOn(const GpuPlace& place, const Shape& shape) const;
  absl::Status Make();
  absl::Status Upload();
  absl::Status Download();
  void Release();

  const size_t bytes_;
  std::vector<uint8_t> host_;  // empty: not made yet
  bool host_is_current_ = true;
  // The GL buffer's place, and its context when it was made.
  GpuPlace place_;
  Shape shape_;  // of the values in the GL buffer
  std::shared_ptr<egl::Context> context_;
  egl::Buffer object_;
  egl::Texture view_;
  bool gpu_is_current_ = false;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_SESSION_TENSOR_BUFFER_H_
