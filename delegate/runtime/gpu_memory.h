// Creates the textures and buffers of an executor: its tensors, and its
// constants, which several executors may use.
#ifndef GLES_DELEGATE_DELEGATE_RUNTIME_GPU_MEMORY_H_
#define GLES_DELEGATE_DELEGATE_RUNTIME_GPU_MEMORY_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/hash_tables.h"
#include "delegate/cache/cache_store.h"
#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"
#include "delegate/plan/dispatch.h"
#include "delegate/plan/memory_plan.h"
#include "delegate/runtime/host_transfer.h"
#include "delegate/runtime/program_cache.h"
#include "delegate/runtime/schedule.h"
#include "delegate/runtime/validator.h"
#include "egl/device_info.h"
#include "egl/host_copy.h"
#include "egl/objects.h"

namespace gles_delegate {

// The binding of a tensor or constant. Does not own its objects: GpuMemory
// does.
struct Resource {
  gl_shaders::Storage storage = gl_shaders::Storage::kBuffer;
  gl_shaders::Format format = gl_shaders::Format::kRgba32f;
  GLuint object = 0;          // 0: not made
  GLuint view = 0;            // of a texel buffer: the texture that is read
  uint8_t* mapped = nullptr;  // of a buffer that the host reaches
  int slot = -1;              // of a tensor, for hazards; -1: never written
  bool is_bound = false;      // `object` is an app's, set before each inference
};

// GL's name for a texel format.
GLenum InternalFormat(gl_shaders::Format format);

// Threads: inside the context's Run().
class GpuMemory {
 public:
  // `profile`, for Allocated(), must outlive this, and so must `staging`, which
  // fills large buffers. nullptr: the driver does.
  explicit GpuMemory(const DeviceProfile& profile,
                     egl::StagedUpload* staging = nullptr)
      : profile_(profile), staging_(staging) {}

  // A texture or buffer of the slot's shape, filled with `texels` (in the
  // slot's format) if not null. `label`: the object's name in debuggers
  // (egl/gl_api.h).
  absl::StatusOr<Resource> Make(const Slot& slot, const uint8_t* texels,
                                absl::string_view label);
  // A buffer that stays mapped. `access`: GL_MAP_READ_BIT, GL_MAP_WRITE_BIT or
  // both. kUnimplemented if the driver cannot do that.
  absl::StatusOr<Resource> MakeMapped(const Slot& slot, GLbitfield access,
                                      absl::string_view label);
  // For an app's buffer.
  absl::StatusOr<Resource> MakeBound(const Slot& slot);

  egl::StagedUpload* staging() const { return staging_; }
  // Move out the objects that were made.
  std::vector<egl::Texture> TakeTextures() { return std::move(textures_); }
  std::vector<egl::Buffer> TakeBuffers() { return std::move(buffers_); }

 private:
  // A buffer of the slot's bytes and of those that Allocated() adds.
  absl::StatusOr<egl::Buffer> MakeBuffer(const Slot& slot,
                                         const uint8_t* texels, GLenum usage);
  // Stores a buffer, and makes the texture for reading it.
  absl::StatusOr<Resource> Keep(const Slot& slot, egl::Buffer buffer,
                                absl::string_view label);

  const DeviceProfile& profile_;
  egl::StagedUpload* staging_;
  std::vector<uint8_t> poison_;  // of the self-check's tensors
  std::vector<egl::Texture> textures_;
  std::vector<egl::Buffer> buffers_;
};

// Memory of a plan's run-time tensors, shared according to lifetimes.
struct TensorMemory {
  std::vector<Resource> tensors;  // by tensor; empty for constants
  int64_t bytes = 0;
  int64_t bytes_unshared = 0;  // with one slot per tensor
};

// The slots of a plan's run-time tensors: inputs live from the beginning,
// outputs and variables to the end. `outputs`: their transfers. Outputs in host
// memory across a bus do not share it with other tensors.
MemoryPlan PlanTensorMemory(const Graph& graph, const Schedule& schedule,
                            absl::Span<const HostTransfer> outputs,
                            const DeviceProfile& profile);

// Slots of inputs and outputs that the host packs stay mapped, and those in an
// app's buffers have no memory. `validator`
// (null: off) gets a resource for each slot, with the slot's number as its id;
// it must have none before.
absl::StatusOr<TensorMemory> MakeTensorMemory(
    const Graph& graph, const Schedule& schedule,
    absl::Span<const HostTransfer> inputs,
    absl::Span<const HostTransfer> outputs, const DeviceProfile& profile,
    GpuMemory* memory, Validator* validator);

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

// --- How much memory a plan needs, before any is allocated -------------------

// Bytes requested from GL, by purpose. The driver's overhead (alignment,
// programs, its own buffers) is unknown.
struct GpuMemoryUse {
  int64_t tensors = 0;     // of run time; textures and buffers, shared by turns
  int64_t constants = 0;   // weights and constant operands
  int64_t transfers = 0;   // through which inputs and outputs travel
  int64_t parameters = 0;  // the Params blocks

  // The part of the constants that was on the GPU already, of another partition
  // or with the same share_key; unknown before a partition is built.
  int64_t shared_constants = 0;

  int64_t total() const {
    return tensors + constants - shared_constants + transfers + parameters;
  }
  // "1234 bytes (tensors 1000, constants 200, transfers 30, parameters 4)"
  std::string ToString() const;
};

// The memory of an Executor for the plan `dispatches` of `graph`. Needs no
// context: `device` has the driver's features. Errors: those of planning.
absl::StatusOr<GpuMemoryUse> MemoryNeeds(const egl::DeviceInfo& device,
                                         const Graph& graph,
                                         std::vector<Dispatch> dispatches,
                                         const DeviceProfile& profile);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_RUNTIME_GPU_MEMORY_H_
