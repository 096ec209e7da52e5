// Connects the runtime's tensors to a session's inputs and outputs.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_TENSOR_IO_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_TENSOR_IO_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/hash_tables.h"
#include "delegate/session/app_object.h"
#include "delegate/session/host_memory.h"
#include "delegate/session/session.h"
#include "delegate/session/tensor_buffer.h"
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

// --- The option state_pairs --------------------------------------------------

// Caches that an app passes from call to call stay on the GPU.
//
// The runtime's memory of such an input and output then has a mark in place of
// values: which buffer has them, since which call. If the app copies an output
// into the next call's input, also of another signature, it copies the mark; if
// it copies nothing, each call continues with the last one's cache. An input
// without a mark has values, which are uploaded.

// A cache, which the partitions that use it own together.
struct KeptCache {
  uint64_t number = 0;   // in the pool
  uint64_t updates = 0;  // the mark's are older: another call had it
  std::unique_ptr<TensorBuffer> buffer;
};

// A delegate's caches. Threads: as the delegate's Invoke.
class CachePool {
 public:
  CachePool();
  // The cache whose mark is in `memory`; nullptr: there are values.
  // kFailedPrecondition: the cache was updated later, or is gone.
  absl::StatusOr<std::shared_ptr<KeptCache>> MarkedIn(
      const HostMemory& memory) const;
  std::shared_ptr<KeptCache> Add();
  void Mark(const KeptCache& cache, const HostMemory& memory) const;

 private:
  const uint64_t number_;  // in the process
  std::vector<std::weak_ptr<KeptCache>> caches_;
};

// --- Inputs and outputs ------------------------------------------------------

class BufferedTensors;

// Threads: as SimpleDelegateKernel's.
class TensorIo {
 public:
  // `objects`: the app's (TfLiteGlesDelegateBindObject). `pool`: nullptr
  // without state_pairs. `handle_owner`: that of tensors with buffer handles
  // for this. `session` must outlive this.
  TensorIo(std::shared_ptr<const BoundObjects> objects,
           const std::optional<GlesRuntimeBuffers>& runtime_buffers,
           std::shared_ptr<CachePool> pool, GpuPlace place,
           const SimpleDelegate* handle_owner, Session* session);
  ~TensorIo();

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
  void Abandon();
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
    std::shared_ptr<char> memory;
  };

  void TakeHandle(const TfLiteContext& context, int index);
  absl::Status TakeCache(TfLiteContext* context, int index, bool writes);
  absl::Status Take(TfLiteContext* context, IoSlot* slot, bool writes);
  // Changes with the slots' objects; never -1.
  int version() const { return objects_->version() + handles_.version(); }

  std::shared_ptr<const BoundObjects> objects_;
  Session* const session_;
  const SimpleDelegate* const handle_owner_;
  const std::unique_ptr<BufferedTensors> buffered_;
  BoundObjects handles_;  // buffers that are tensors' handles, and of caches
  int version_ = -1;      // of the slots' objects
  std::vector<ConstantOutput> constants_;
  std::vector<Lent> lent_;  // since the runtime prepared the node
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_TENSOR_IO_H_
