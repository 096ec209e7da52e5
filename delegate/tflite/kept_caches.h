// Caches that an app passes from call to call stay on the GPU (the option
// state_pairs).
//
// The runtime's memory of such an input and output then has a mark in place of
// values: which buffer has them, since which call. If the app copies an output
// into the next call's input, also of another signature, it copies the mark; if
// it copies nothing, each call continues with the last one's cache. An input
// without a mark has values, which are uploaded.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_KEPT_CACHES_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_KEPT_CACHES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/hash_tables.h"
#include "delegate/session/host_memory.h"
#include "delegate/session/tensor_buffer.h"

namespace gles_delegate {

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

// A partition's caches, by the runtime's tensors.
// Threads: as SimpleDelegateKernel's.
class KeptCaches {
 public:
  explicit KeptCaches(std::shared_ptr<CachePool> pool)
      : pool_(std::move(pool)) {}

  // Whether that many bytes have room for a mark.
  static bool HasRoom(size_t bytes);

  // The cache that an inference reads from `input` and updates. Errors as
  // CheckBytes() and CachePool::MarkedIn(); kInvalidArgument: it has another
  // size.
  absl::StatusOr<TensorBuffer*> Take(int input, const HostMemory& memory);
  // The last one taken from `input`.
  TensorBuffer* Taken(int input) const {
    return taken_.at(input)->buffer.get();
  }
  // Puts the values into `memory` if a mark is there. Errors also as
  // TensorBuffer::Lock().
  absl::Status BringToHost(const HostMemory& memory) const;
  // The inference has updated the cache taken from `input`: marks both.
  void NoteUpdate(int input, const HostMemory& in, const HostMemory& out);

 private:
  std::shared_ptr<CachePool> pool_;
  // By input: for values; of the last inference.
  HashMap<int, std::shared_ptr<KeptCache>> own_, taken_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_KEPT_CACHES_H_
