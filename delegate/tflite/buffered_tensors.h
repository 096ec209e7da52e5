// Inputs and outputs of a partition in buffers of the runtime that are of this
// library's kind (TensorBuffer): caches, such as a language model's keys and
// values, which stay on the GPU, and tensors whose memory the GPU accesses.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_BUFFERED_TENSORS_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_BUFFERED_TENSORS_H_

#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/hash_tables.h"
#include "delegate/graph/graph.h"
#include "delegate/session/app_object.h"
#include "delegate/session/host_memory.h"
#include "delegate/session/tensor_buffer.h"
#include "delegate/tflite/runtime_buffers.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// Threads: as SimpleDelegateKernel's.
class BufferedTensors {
 public:
  // `runtime`: nullopt if it has no such buffers. No tensor is then in one.
  BufferedTensors(const std::optional<GlesRuntimeBuffers>& runtime,
                  GpuPlace place)
      : runtime_(runtime), place_(std::move(place)) {}

  bool HasRuntime() const { return runtime_.has_value(); }
  // Chooses the inputs and outputs of `graph` between which only a
  // DYNAMIC_UPDATE_SLICE is: float32, in the runtime's tensors.
  void ChooseCaches(const Graph& graph);
  // A cache's object; {}: known before the next inference.
  static AppObject ObjectOf(const TensorBuffer::OnGpuBuffer& buffer);
  // The runtime's tensors.
  const std::vector<int>& caches() const { return caches_; }
  const std::vector<int>& others() const { return others_; }
  bool IsCache(int tensor) const;
  bool Has(int tensor) const;
  // Asks the runtime for the buffers of the caches and of `others`, except
  // those that are `shared` with other nodes. If the runtime refuses one of a
  // cache, no tensor is a cache.
  void Require(TfLiteContext* context, const std::vector<int>& others,
               const HashSet<int>& shared);

  // Before an inference, which reads or writes the tensor, until Finish(). The
  // tensor's memory. kInternal: the runtime has no buffer of the tensor, which
  // has no memory. kInvalidArgument: the buffer is too small.
  absl::StatusOr<HostMemory> Lock(TfLiteContext* context, int tensor,
                                  bool writes);
  // The same for a cache: the GL buffer with its values. nullopt: the app has
  // given the runtime another kind of buffer, which is the tensor's memory.
  absl::StatusOr<std::optional<AppObject>> FindCache(TfLiteContext* context,
                                                     int tensor, bool writes);
  // The tensors get host memory with the values, for an inference on the CPU.
  absl::Status BringToHost(TfLiteContext* context,
                           const std::vector<int>& outputs);
  // After the inference, whatever became of it.
  void Finish();

 private:
  // The tensor's buffer; nullptr: the tensor has the memory of another kind.
  absl::StatusOr<TensorBuffer*> BufferOf(TfLiteContext* context, int tensor,
                                         bool writes);
  absl::StatusOr<HostMemory> Lock(TfLiteContext* context, int tensor,
                                  bool writes, const GpuPlace* place);

  std::optional<GlesRuntimeBuffers> runtime_;
  const GpuPlace place_;
  std::vector<int> caches_, others_;
  HashMap<int, Shape> shapes_;      // of caches
  std::vector<void*> locked_;       // of the runtime
  std::vector<TensorBuffer*> own_;  // locked
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_BUFFERED_TENSORS_H_
