// Builds an Executor: memory, constants, programs, then commands with their
// barriers. Used by Executor::Create alone.
#ifndef GLES_DELEGATE_DELEGATE_RUNTIME_EXECUTOR_BUILDER_H_
#define GLES_DELEGATE_DELEGATE_RUNTIME_EXECUTOR_BUILDER_H_

#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "delegate/cache/cache_hash.h"
#include "delegate/runtime/executor.h"
#include "delegate/plan/hazards.h"

namespace gles_delegate {

// Bytes an element of an input or output takes in what Executor::Invoke is
// given.
int64_t HostElementBytes(const Tensor& tensor);

// An error says whose it is.
absl::Status Labelled(const absl::Status& status, absl::string_view label);

AccessKind AccessKindOf(gl_shaders::Bindings::Kind kind);

class ExecutorBuilder {
 public:
  ExecutorBuilder(const egl::Context& context, ProgramCache* programs,
                  const Graph& graph, std::vector<Dispatch> dispatches,
                  const DeviceProfile& profile, PartitionCache* cache);
  absl::StatusOr<std::unique_ptr<Executor>> Build();

 private:
  // What a tensor or constant is bound as.
  struct Resource {
    gl_shaders::Storage storage = gl_shaders::Storage::kBuffer;
    gl_shaders::Format format = gl_shaders::Format::kRgba32f;
    GLuint object = 0;
    GLuint view = 0;  // of a texel buffer: the texture that it is read as
    uint8_t* mapped = nullptr;  // of a buffer that the host reaches
    int slot = -1;              // for hazards; -1: never written
  };

  // Whether the host packs or unpacks this graph input or output by itself.
  bool IsHostTransferred(TensorId id) const;
  void AddTransfers();
  // Adds the dispatches of one graph input or output: `d`, in pieces.
  void AddTransfer(int index, TensorId id, Dispatch d);
  // True where the host's memory holds float16 of this input's or output's
  // floats.
  bool AsHalves(const Tensor& tensor) const;
  // What that memory holds of it.
  int64_t HostBytes(const Tensor& tensor) const;
  // True where the GPU copies what the host brings of this input.
  bool IsStaged(const Tensor& tensor) const;
  // Of one input or output; access: how the host maps it.
  absl::StatusOr<Executor::HostBuffer> MakeHostBuffer(TensorId id,
                                                      GLbitfield access);
  absl::Status MakeHostBuffers();
  absl::Status MakeSlots();
  absl::Status UploadConstantTensor(TensorId id);
  // The texels come from the cache, or from `make`, in the slot's format.
  absl::StatusOr<Resource> UploadTexels(
      const Slot& slot, bool cacheable,
      absl::FunctionRef<absl::StatusOr<std::vector<uint8_t>>()> make);
  // Filled with `texels` where they are not null.
  absl::StatusOr<Resource> MakeResource(const Slot& slot,
                                        const uint8_t* texels);
  // A buffer that stays mapped.
  absl::StatusOr<Resource> MapResource(const Slot& slot);
  // Of a buffer, with what it is read as.
  absl::StatusOr<Resource> KeepBuffer(const Slot& slot, egl::Buffer buffer);
  absl::StatusOr<Resource> UploadBytes(const Slot& slot,
                                       absl::Span<const uint8_t> bytes);
  absl::Status UploadConstants();
  absl::Status CompilePrograms();
  absl::Status MakeCommands();
  // A command's accesses, for the validator; and whether it keeps to the
  // device's limits and to what is saved of an app's context.
  absl::Status DescribeToValidator(size_t dispatch,
                                   const gl_shaders::Bindings& points,
                                   const Executor::Command& command);
  void RegisterHostBuffers();
  void SaveToCache();
  Executor::Binding Bind(const gl_shaders::Bindings::Point& point,
                         const Resource& resource, bool write) const;

  const egl::Context& context_;
  ProgramCache* programs_;
  const Graph& graph_;
  std::vector<Dispatch> dispatches_;
  DeviceProfile profile_;
  PartitionCache* cache_;  // may be null
  const bool can_map_;     // buffers may stay mapped

  std::unique_ptr<Executor> executor_;
  std::vector<Resource> tensors_;  // by tensor; the validator's ids are slots
  std::vector<std::vector<Resource>> constants_;  // by dispatch
  std::vector<gl_shaders::ShaderSpec> specs_;     // by dispatch
  std::vector<std::vector<uint8_t>> params_;      // by dispatch
  std::vector<Hash128> texts_;                    // by dispatch, where cache_
  std::vector<const egl::Program*> compiled_;     // by dispatch
  std::vector<Executor::Piece>
      pieces_;  // by dispatch, of uploads and readbacks
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_RUNTIME_EXECUTOR_BUILDER_H_
