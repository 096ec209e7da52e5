// Connects the runtime's tensors to a session's inputs and outputs.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_TENSOR_IO_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_TENSOR_IO_H_

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/hash_tables.h"
#include "delegate/graph/graph.h"
#include "delegate/session/app_object.h"
#include "delegate/session/constant_output.h"
#include "delegate/session/host_memory.h"
#include "delegate/session/session.h"
#include "delegate/session/tensor_buffer.h"
#include "delegate/tflite/kept_caches.h"
#include "delegate/tflite/reader.h"
#include "delegate/tflite/runtime_buffers.h"
#include "delegate/tflite/simple_delegate.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// The app's GL textures and buffers bound to tensors
// (TfLiteGlesDelegateBindObject).
// Shared by a delegate and its kernels. Threads: as the delegate's Invoke.
class BoundObjects {
 public:
  // By the runtime's tensor index.
  void Bind(int tensor, const AppObject& object) {
    objects_[tensor] = object;
    ++version_;
  }
  void Unbind(int tensor) {
    objects_.erase(tensor);
    ++version_;
  }
  // nullptr if none is bound. Valid until the next change.
  const AppObject* Of(int tensor) const {
    const auto it = objects_.find(tensor);
    return it == objects_.end() ? nullptr : &it->second;
  }
  const HashMap<int, AppObject>& all() const { return objects_; }
  // Changes with each of these; never -1.
  int version() const { return version_; }

 private:
  HashMap<int, AppObject> objects_;
  int version_ = 0;
};

// Inputs and outputs of a partition in buffers of the runtime that are of this
// library's kind (TensorBuffer): caches, such as a language model's keys and
// values, which stay on the GPU, and tensors whose memory the GPU accesses.
// Without such a runtime, caches may be in buffers of a delegate's
// (KeptCaches). Threads: as SimpleDelegateKernel's.
class BufferedTensors {
 public:
  // `runtime`: nullopt if it has no such buffers. `pool`: nullptr if no cache
  // is kept then.
  BufferedTensors(const std::optional<GlesRuntimeBuffers>& runtime,
                  std::shared_ptr<CachePool> pool, GpuPlace place)
      : runtime_(runtime), place_(std::move(place)) {
    if (!runtime_ && pool != nullptr) kept_.emplace(std::move(pool));
  }

  bool HasBuffers() const { return runtime_ || kept_; }
  bool Keeps() const { return kept_.has_value(); }
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
  // cache, or one of a kept cache is shared, no tensor is a cache.
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
  // After an inference on the GPU: marks the kept caches.
  void NoteUpdates(TfLiteContext* context);

 private:
  // The tensor's buffer; nullptr: the tensor has the memory of another kind.
  absl::StatusOr<TensorBuffer*> BufferOf(TfLiteContext* context, int tensor,
                                         bool writes);
  absl::StatusOr<HostMemory> Lock(TfLiteContext* context, int tensor,
                                  bool writes, const GpuPlace* place);

  std::optional<GlesRuntimeBuffers> runtime_;
  std::optional<KeptCaches> kept_;
  bool keeps_none_ = false;  // Require() found that kept caches are shared
  const GpuPlace place_;
  std::vector<int> caches_, others_;
  HashMap<int, Shape> shapes_;         // of caches
  HashMap<int, int> inputs_;           // of caches, by output
  HashMap<int, TensorBuffer*> taken_;  // kept caches, by input
  std::vector<void*> locked_;          // of the runtime
  std::vector<TensorBuffer*> own_;     // locked
};

// Threads: as SimpleDelegateKernel's.
class TensorIo {
 public:
  // `objects`: the app's (TfLiteGlesDelegateBindObject). `session` must outlive
  // this.
  TensorIo(std::shared_ptr<const BoundObjects> objects,
           BufferedTensors buffered, Session* session)
      : objects_(std::move(objects)),
        session_(session),
        buffered_(std::move(buffered)) {}

  void SetHandleOwner(const void* owner) { handle_owner_ = owner; }
  // The partition's outputs without a slot, after Session::SetGraph().
  void SetConstants(std::vector<ConstantOutput> constants) {
    constants_ = std::move(constants);
  }

  // After Session::SetGraph().
  void ChooseCaches();
  // Once: asks the runtime for buffers of caches, and with zero_copy of the
  // model's other inputs and outputs; not of tensors that nodes outside the
  // partition use. Errors of reading these nodes.
  absl::Status RequireBuffers(TfLiteContext* context, const ModelNodes& nodes,
                              const ModelPartition& partition);

  // Gives the slots their objects: those that the app has bound, or else the
  // buffers that are tensors' handles (TfLiteInterpreterSetBufferHandle).
  void SetObjects();
  // Before an inference: sets the slots' memory, and their objects if these
  // have changed.
  absl::Status Collect(TfLiteContext* context);
  // After it: copies constants, and marks the tensors that are outdated because
  // a handle's buffer has the values.
  absl::Status Finish(TfLiteContext* context);
  // After an inference that failed.
  void Abandon() { buffered_.Finish(); }
  // Runs the nodes on the CPU, with all tensors in host memory. False, or the
  // first error.
  absl::StatusOr<bool> OnHost(TfLiteContext* context,
                              absl::FunctionRef<absl::Status()> run);

  // The option zero_copy: places the model's inputs and outputs in memory that
  // the GPU accesses, except tensors that nodes outside the partition use.
  // TakeMemoryBack() makes the runtime allocate them again.
  void LendMemory(TfLiteContext* context, const ModelNodes& nodes,
                  const ModelPartition& partition);
  void TakeMemoryBack(TfLiteContext* context);

 private:
  struct Lent {
    int tensor;
    std::unique_ptr<LentMemory> memory;
  };

  void TakeHandle(const TfLiteContext& context, int index);
  absl::Status TakeCache(TfLiteContext* context, int index, bool writes);
  absl::Status Take(TfLiteContext* context, IoSlot* slot, bool writes);
  // Changes with the slots' objects; never -1.
  int version() const { return objects_->version() + handles_.version(); }
  void Place(TfLiteTensor* tensor, int index,
             std::unique_ptr<LentMemory> memory);

  std::shared_ptr<const BoundObjects> objects_;
  Session* const session_;
  const void* handle_owner_ = nullptr;
  BufferedTensors buffered_;
  BoundObjects handles_;  // buffers that are tensors' handles, and of caches
  int version_ = -1;      // of the slots' objects
  std::vector<ConstantOutput> constants_;
  std::vector<Lent> lent_;  // since the runtime prepared the node
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_TENSOR_IO_H_
