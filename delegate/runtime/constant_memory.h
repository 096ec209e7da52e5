// A plan's constants on the GPU: constant tensors and packed constants.
#ifndef GLES_DELEGATE_DELEGATE_RUNTIME_CONSTANT_MEMORY_H_
#define GLES_DELEGATE_DELEGATE_RUNTIME_CONSTANT_MEMORY_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/hash_tables.h"
#include "delegate/cache/cache_hash.h"
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

  // The key of a constant with contents `bytes` in a slot of this shape.
  static Hash128 KeyOfContent(const Slot& slot,
                              absl::Span<const uint8_t> bytes);
  // The key of constant number `place` of a plan; `plan` is a hash of
  // everything that its constants are made from.
  static Hash128 KeyOfPlace(const Slot& slot, const Hash128& plan, int place);

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

// Uploads the constants of each dispatch. Loads texels from the start-up cache,
// or saves them to it if they are missing. One object per plan. Threads: inside
// the context's Run().
class ConstantUploader {
 public:
  // `cache` may be null. All arguments must outlive this.
  ConstantUploader(const Graph& graph, const DeviceProfile& profile,
                   PartitionCache* cache, GpuMemory* memory,
                   const ConstantSharing& sharing)
      : graph_(graph),
        profile_(profile),
        cache_(cache),
        memory_(memory),
        sharing_(sharing) {}

  // The dispatch's packed constants, in order; literals of the shader are empty
  // Resources. Adds constant tensors that the dispatch is the first to read to
  // `tensors` (by TensorId). Errors have the dispatch's label; kDataLoss is the
  // cache's.
  absl::StatusOr<std::vector<Resource>> Upload(const Dispatch& dispatch,
                                               std::vector<Resource>* tensors);

  int64_t bytes() const { return bytes_; }  // of all that dispatches read
  // Bytes that were on the GPU before.
  int64_t bytes_shared() const { return bytes_shared_; }
  // Moves out the constants that the store has registered.
  std::vector<ConstantStore::Constant> TakeShared() {
    return std::move(owned_);
  }

 private:
  // The result is valid until the next call.
  using MakeTexels =
      absl::FunctionRef<absl::StatusOr<absl::Span<const uint8_t>>()>;

  absl::StatusOr<Resource> UploadTensor(const Tensor& tensor);
  absl::StatusOr<Resource> UploadPacked(const PackedConstant& constant,
                                        const std::string& label);
  // floats_ as `format` holds them.
  absl::Span<const uint8_t> FloatTexels(gl_shaders::Format format);
  // Takes the texels from the cache or from `make`, in the slot's format.
  absl::StatusOr<Resource> UploadTexels(const Slot& slot,
                                        const std::string& label,
                                        bool cacheable, MakeTexels make);
  absl::StatusOr<Resource> UploadBytes(const Slot& slot,
                                       const std::string& label,
                                       absl::Span<const uint8_t> bytes);
  // UploadTexels() for a constant covered by the plan's hash, and
  // UploadBytes(), if constants are shared.
  absl::StatusOr<Resource> ShareTexels(const Slot& slot,
                                       const std::string& label,
                                       MakeTexels make);
  absl::StatusOr<ConstantStore::Constant> ShareBytes(
      const Slot& slot, const std::string& label,
      absl::Span<const uint8_t> bytes);

  // Texels that are being made: one memory for all constants, since the system
  // hands out new memory page by page.
  std::vector<float> floats_;
  std::vector<uint32_t> words_;
  std::vector<int32_t> ints_;
  std::vector<uint16_t> halves_;

  const Graph& graph_;
  const DeviceProfile& profile_;
  PartitionCache* cache_;
  GpuMemory* memory_;
  const ConstantSharing& sharing_;
  int place_ = 0;  // of the next constant covered by the plan's hash
  std::vector<ConstantStore::Constant> owned_;
  // By PackedConstant::shared_id.
  HashMap<int, Resource> shared_;
  int64_t bytes_ = 0;
  int64_t bytes_shared_ = 0;
};

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
