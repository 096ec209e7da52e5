// The part of Executor that uses the app's textures and buffers.
#include "delegate/runtime/executor.h"
#include "delegate/runtime/object_transfer.h"

namespace gles_delegate {

absl::Status Executor::UseObjects(absl::Span<const UsedObject> inputs,
                                  absl::Span<const UsedObject> outputs) {
  for (size_t i = 0; i < parts_.commands.size(); ++i) {
    Command& command = parts_.commands[i];
    const int index = command.piece.index;
    if (index < 0) continue;
    const bool is_upload = i < readbacks_begin();
    HostTransfer& transfer =
        (is_upload ? parts_.inputs : parts_.outputs)[index];
    if (!transfer.is_bound()) continue;
    const UsedObject& object = (is_upload ? inputs : outputs)[index];
    transfer.UseObject(object.name);
    // It is the last one (CommandBuilder::MakeCommand()).
    command.bindings.back().object = transfer.shader_object();
    if (command.object_params < 0 || command.scaling == object.scaling) {
      continue;
    }
    command.scaling = object.scaling;
    const UniformBlock block =
        ScalingUniforms(transfer.object(), object.scaling);
    if (auto s = parts_.params.Upload(command.object_params, block.bytes());
        !s.ok()) {
      return s;
    }
  }
  UseBuffers(inputs, outputs, &parts_.caches, &parts_.commands);
  return absl::OkStatus();
}

}  // namespace gles_delegate
