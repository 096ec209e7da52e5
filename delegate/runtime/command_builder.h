// From dispatches, memory and programs to the commands of an executor.
#ifndef GLES_DELEGATE_DELEGATE_RUNTIME_COMMAND_BUILDER_H_
#define GLES_DELEGATE_DELEGATE_RUNTIME_COMMAND_BUILDER_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "delegate/plan/hazards.h"
#include "delegate/runtime/command.h"
#include "delegate/runtime/dispatch_programs.h"
#include "delegate/runtime/gpu_memory.h"
#include "delegate/runtime/host_transfer.h"
#include "delegate/runtime/schedule.h"
#include "delegate/runtime/validator.h"

namespace gles_delegate {

// What commands are made from; all is borrowed.
struct CommandSources {
  const egl::DeviceInfo& device;
  const Graph& graph;
  const Schedule& schedule;
  const std::vector<Resource>& tensors;                 // by tensor
  const std::vector<std::vector<Resource>>& constants;  // by dispatch
  const std::vector<DispatchProgram>& programs;         // by dispatch
  const std::vector<HostTransfer>& inputs;
  const std::vector<HostTransfer>& outputs;
  GLuint sampler = 0;  // for textures of the app's
};

// The bytes that one Params block takes in the buffer of all blocks: up to an
// offset at which the next block may be bound.
size_t AlignedParamsBytes(const UniformBlock& block,
                          const egl::DeviceInfo& device);

class CommandBuilder {
 public:
  // A builder is of use for one Build().
  // `validator` (null: off) is told of each command.
  CommandBuilder(const CommandSources& sources, Validator* validator)
      : in_(sources), validator_(validator) {}

  // The commands, each with the barrier that it needs before it, rehearsed by
  // the validator. kInternal: a dispatch binds what nothing makes, or breaks a
  // rule of validation.
  absl::StatusOr<std::vector<Command>> Build();

  // All Params blocks, each at an offset that may be bound.
  const std::vector<uint8_t>& params() const { return params_; }

 private:
  // Without its barrier.
  absl::StatusOr<Command> MakeCommand(const Step& step,
                                      std::vector<Access>* accesses);
  // What each command waits for. kInternal: an upload that is to run beside the
  // step behind it would have to wait.
  absl::Status PlaceBarriers(absl::Span<const std::vector<Access>> accesses,
                             absl::Span<Command> commands) const;
  // Appends the dispatch's Params block.
  void PlaceParams(size_t dispatch, Command* command);
  // Adds what the step binds of the tensors, and returns its accesses to them.
  absl::StatusOr<std::vector<Access>> BindTensors(
      const Step& step, const gl_shaders::Bindings& points, Command* command);
  // What the step touches of a tensor that has a slot.
  Access AccessTo(const Step& step, TensorId id, AccessKind kind,
                  bool write) const;
  // In how many units parts of the tensor are told apart: an input's are the
  // bytes that the host has of it.
  int64_t UnitsOf(TensorId id) const;
  // Tells the validator of a command's accesses, once it is known that the
  // command keeps to the device's limits and to what is saved of an app's
  // context.
  absl::Status DescribeToValidator(const Step& step,
                                   const gl_shaders::Bindings& points,
                                   const Command& command);
  // The transfer that the dispatch is a piece of. `piece.index` is not -1.
  const HostTransfer& TransferOf(size_t dispatch) const {
    const auto& list =
        dispatch < in_.schedule.upload_dispatches ? in_.inputs : in_.outputs;
    return list[in_.schedule.pieces[dispatch].index];
  }

  const CommandSources in_;
  Validator* validator_;
  std::vector<uint8_t> params_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_RUNTIME_COMMAND_BUILDER_H_
