// The caches of a partition, such as a language model's keys and values, in
// buffers of the runtime that keep their values on the GPU.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_RUNTIME_CACHES_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_RUNTIME_CACHES_H_

#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "delegate/graph/graph.h"
#include "delegate/session/app_object.h"
#include "delegate/session/tensor_buffer.h"
#include "delegate/tflite/runtime_buffers.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// Threads: as SimpleDelegateKernel's.
class RuntimeCaches {
 public:
  // `runtime`: nullopt if it has no such buffers. No tensor is then a cache.
  RuntimeCaches(const std::optional<GlesRuntimeBuffers>& runtime,
                GpuPlace place)
      : runtime_(runtime), place_(std::move(place)) {}

  // Chooses the inputs and outputs of `graph` between which only a
  // DYNAMIC_UPDATE_SLICE is: float32, in the runtime's tensors.
  void Choose(const Graph& graph);
  // A cache's object; {}: known before the next inference.
  static AppObject ObjectOf(const TensorBuffer::OnGpuBuffer& buffer);
  // The runtime's tensors.
  const std::vector<int>& tensors() const { return tensors_; }
  // Asks the runtime for their buffers. If it refuses one, no tensor is a
  // cache.
  void Require(TfLiteContext* context);

  // Before an inference: the GL buffer with the cache's values, which it reads
  // or writes. nullopt: the app has given the runtime another kind of buffer,
  // and the tensor has its memory until Finish(). kInternal: the runtime has no
  // buffer of the tensor.
  absl::StatusOr<std::optional<AppObject>> Find(TfLiteContext* context,
                                                int tensor, bool writes);
  // The tensors get host memory with the values, for an inference on the CPU.
  absl::Status BringToHost(TfLiteContext* context,
                           const std::vector<int>& outputs);
  // After the inference, whatever became of it.
  void Finish();

 private:
  struct Place {
    TensorBuffer* buffer = nullptr;
    void* memory = nullptr;
  };
  absl::StatusOr<Place> PlaceOf(TfLiteContext* context, int tensor,
                                bool writes);

  std::optional<GlesRuntimeBuffers> runtime_;
  const GpuPlace place_;
  std::vector<int> tensors_;
  absl::flat_hash_map<int, Shape> shapes_;  // by tensor
  std::vector<void*> locked_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_RUNTIME_CACHES_H_
