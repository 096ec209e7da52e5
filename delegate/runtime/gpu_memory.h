// The textures and buffers of an executor, as they are made.
#ifndef GLES_DELEGATE_DELEGATE_RUNTIME_GPU_MEMORY_H_
#define GLES_DELEGATE_DELEGATE_RUNTIME_GPU_MEMORY_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "delegate/plan/memory_plan.h"
#include "delegate/runtime/host_transfer.h"
#include "delegate/runtime/schedule.h"
#include "delegate/runtime/validator.h"
#include "egl/objects.h"

namespace gles_delegate {

// What a tensor or constant is bound as. Owns nothing: the objects are
// GpuMemory's.
struct Resource {
  gl_shaders::Storage storage = gl_shaders::Storage::kBuffer;
  gl_shaders::Format format = gl_shaders::Format::kRgba32f;
  GLuint object = 0;          // 0: not made
  GLuint view = 0;            // of a texel buffer: the texture that is read
  uint8_t* mapped = nullptr;  // of a buffer that the host reaches
  int slot = -1;              // of a tensor, for hazards; -1: never written
};

// GL's name for the texels of a format.
GLenum InternalFormat(gl_shaders::Format format);

// `status` with whose it is before its message.
absl::Status Labelled(const absl::Status& status, absl::string_view label);

// Threads: inside the context's Run().
class GpuMemory {
 public:
  // `profile`, by which slots are Allocated(), must outlive this.
  explicit GpuMemory(const DeviceProfile& profile) : profile_(profile) {}

  // A texture or buffer that holds the slot's shape, filled with `texels` (in
  // the slot's format) where they are not null. `label`: the object's name in
  // debuggers (egl/debug.h).
  absl::StatusOr<Resource> Make(const Slot& slot, const uint8_t* texels,
                                absl::string_view label);
  // A buffer that stays mapped. `access`: GL_MAP_READ_BIT, GL_MAP_WRITE_BIT or
  // both. kUnimplemented where the driver cannot.
  absl::StatusOr<Resource> MakeMapped(const Slot& slot, GLbitfield access,
                                      absl::string_view label);

  // What was made, handed over once.
  std::vector<egl::Texture> TakeTextures() { return std::move(textures_); }
  std::vector<egl::Buffer> TakeBuffers() { return std::move(buffers_); }

 private:
  // Keeps a buffer, and makes the texture that it is read as.
  absl::StatusOr<Resource> Keep(const Slot& slot, egl::Buffer buffer,
                                absl::string_view label);

  const DeviceProfile& profile_;
  std::vector<egl::Texture> textures_;
  std::vector<egl::Buffer> buffers_;
};

// Memory of a plan's run-time tensors, shared by lifetime.
struct TensorMemory {
  std::vector<Resource> tensors;  // by tensor; unmade where it is constant
  int64_t bytes = 0;
  int64_t bytes_unshared = 0;  // what one slot a tensor would take
};

// The slots of a plan's run-time tensors: inputs live from the beginning,
// outputs and variables to the end. `outputs`: how those travel. What lies in
// the host's memory across a bus shares it with no other tensor.
MemoryPlan PlanTensorMemory(const Graph& graph, const Schedule& schedule,
                            absl::Span<const HostTransfer> outputs,
                            const DeviceProfile& profile);

// Slots of the inputs and outputs that the host packs stay mapped. `validator`
// (null: off) gets a resource for each slot, with the slot's number as its id:
// it must have none before.
absl::StatusOr<TensorMemory> MakeTensorMemory(
    const Graph& graph, const Schedule& schedule,
    absl::Span<const HostTransfer> inputs,
    absl::Span<const HostTransfer> outputs, const DeviceProfile& profile,
    GpuMemory* memory, Validator* validator);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_RUNTIME_GPU_MEMORY_H_
