// A plan's constants on the GPU: constant tensors and packed constants.
#ifndef GLES_DELEGATE_DELEGATE_RUNTIME_CONSTANT_MEMORY_H_
#define GLES_DELEGATE_DELEGATE_RUNTIME_CONSTANT_MEMORY_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/hash_tables.h"
#include "delegate/cache/cache_store.h"
#include "delegate/plan/dispatch.h"
#include "delegate/runtime/gpu_memory.h"
#include "delegate/runtime/program_cache.h"
#include "egl/objects.h"

namespace gles_delegate {

// --- Constants that several plans use ----------------------------------------

// GPU constants shared by the executors of a context or, with the option
// share_key, of several.

// A constant with its GL objects. The last owner releases it inside Run() of a
// context that shares objects with the one that made it.
struct SharedConstant {
  Resource resource;
  std::vector<egl::Texture> textures;
  std::vector<egl::Buffer> buffers;
};

// Finds constants by content and storage, or by their place in a plan. Holds
// weak references. Threads: any, concurrently.
class ConstantStore {
 public:
  using Constant = std::shared_ptr<const SharedConstant>;

  // nullptr: there is none with this key.
  Constant Find(const Hash128& key);
  void Add(const Hash128& key, const Constant& constant);

 private:
  using Key = std::pair<uint64_t, uint64_t>;
  std::mutex mutex_;
  HashMap<Key, std::weak_ptr<const SharedConstant>> constants_;
};

// GPU memory bytes of the constants of `dispatches`.
absl::StatusOr<int64_t> ConstantBytes(const Graph& graph,
                                      absl::Span<const Dispatch> dispatches,
                                      const DeviceProfile& profile);

// The store and key for sharing a plan's constants with other executors.
struct ConstantSharing {
  ConstantStore* store = nullptr;  // nullptr: they are not
  // Of the plan, the graph and its constants. nullopt: constants are found by
  // content alone, which takes packing them.
  std::optional<Hash128> plan = {};
};

struct UploadedConstants {
  // The packed constants of each dispatch, in order; literals of the shader are
  // empty Resources.
  std::vector<std::vector<Resource>> packed;
  std::vector<ConstantStore::Constant> shared;  // those that the store has
  int64_t bytes = 0;                            // of all that dispatches read
  int64_t bytes_shared = 0;                     // that were on the GPU before
};

// Uploads the dispatches' constants. Loads texels from the start-up cache (may
// be null), or saves them to it if they are missing. Constant tensors are put
// among `tensors` (by TensorId). Errors have a dispatch's label; kDataLoss is
// the cache's. Threads: inside the context's Run().
absl::StatusOr<UploadedConstants> UploadConstants(
    const Graph& graph, absl::Span<const Dispatch> dispatches,
    const DeviceProfile& profile, PartitionCache* cache, GpuMemory* memory,
    const ConstantSharing& sharing, std::vector<Resource>* tensors);

// --- What partitions share ---------------------------------------------------

// Objects shared by the partitions of a context and, with the option share_key,
// of several contexts that share GL objects.

// Threads: a builder holds `building`, and with `by_key` calls glFinish before
// releasing it, so that other contexts may use the objects. Invoke only reads
// programs and constants and needs no lock. Destroyed inside Run() of one of
// the contexts.
struct SharedObjects {
  explicit SharedObjects(bool shared_by_key = false) : by_key(shared_by_key) {}

  // With share_key.
  const bool by_key;
  std::mutex building;
  ProgramCache programs;
  // programs.size(), readable without waiting for builders.
  std::atomic<size_t> program_count = 0;
  ConstantStore constants;
  // One of the contexts was lost: no others may join.
  std::atomic<bool> lost = false;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_RUNTIME_CONSTANT_MEMORY_H_
