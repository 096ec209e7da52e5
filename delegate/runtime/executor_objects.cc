// The part of Executor that uses textures and buffers of others.
#include "base/status_macros.h"
#include "delegate/runtime/executor.h"
#include "delegate/runtime/object_transfer.h"

namespace gles_delegate {

HostTransfer* Executor::TransferOf(size_t command) {
  const int index = parts_.commands[command].piece.index;
  if (index < 0) return nullptr;
  return &(command < readbacks_begin() ? parts_.inputs : parts_.outputs)[index];
}

absl::Status Executor::UseObjects(absl::Span<const UsedObject> inputs,
                                  absl::Span<const UsedObject> outputs) {
  for (size_t i = 0; i < parts_.commands.size(); ++i) {
    Command& command = parts_.commands[i];
    HostTransfer* const transfer = TransferOf(i);
    if (transfer == nullptr || !transfer->is_bound()) continue;
    const UsedObject& object =
        (transfer->is_upload() ? inputs : outputs)[command.piece.index];
    transfer->UseObject(object.name);
    // It is the last one (CommandBuilder::MakeCommand()).
    command.bindings.back().object = transfer->shader_object();
    if (command.object_params < 0 || command.scaling == object.scaling) {
      continue;
    }
    command.scaling = object.scaling;
    const UniformBlock block =
        ScalingUniforms(transfer->object(), object.scaling);
    RETURN_IF_ERROR(parts_.params.Upload(command.object_params, block.bytes()));
  }
  UseBuffers(inputs, outputs, &parts_.caches, &parts_.commands);
  return absl::OkStatus();
}

void Executor::UseMemory(absl::Span<const GLuint> inputs,
                         absl::Span<const GLuint> outputs) {
  bool is_new = false;
  const auto use = [&](absl::Span<const GLuint> buffers,
                       std::vector<HostTransfer>* transfers) {
    for (size_t i = 0; i < buffers.size(); ++i) {
      HostTransfer& transfer = (*transfers)[i];
      const GLuint had = transfer.memory_used();
      transfer.UseMemory(buffers[i]);
      is_new |= transfer.memory_used() != had;
    }
  };
  use(inputs, &parts_.inputs);
  use(outputs, &parts_.outputs);
  if (!is_new) return;
  for (size_t i = 0; i < parts_.commands.size(); ++i) {
    const HostTransfer* const transfer = TransferOf(i);
    if (transfer == nullptr || !transfer->is_zero_copy()) continue;
    parts_.commands[i].bindings.back().object = transfer->shader_object();
  }
}

}  // namespace gles_delegate
