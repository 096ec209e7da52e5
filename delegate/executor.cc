#include "delegate/executor.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "delegate/executor_builder.h"

namespace gles_delegate {

using egl::gl;
using gl_shaders::Bindings;

absl::StatusOr<std::unique_ptr<Executor>> Executor::Create(
    const egl::Context& context, ProgramCache* programs, const Graph& graph,
    std::vector<Dispatch> dispatches, const DeviceProfile& profile) {
  return ExecutorBuilder(context, programs, graph, std::move(dispatches), profile)
      .Build();
}

void Executor::Record(const Command& command, GLuint* program) const {
  if (command.barrier != 0) gl().MemoryBarrier(command.barrier);
  if (command.program != *program) {
    gl().UseProgram(command.program);
    *program = command.program;
  }
  gl().BindBufferRange(GL_UNIFORM_BUFFER, 0, params_.id(), command.params_offset,
                       command.params_bytes);
  for (const Binding& b : command.bindings) {
    switch (b.kind) {
      case Bindings::Kind::kSampler:
        gl().ActiveTexture(GL_TEXTURE0 + b.unit);
        gl().BindTexture(b.target, b.object);
        break;
      case Bindings::Kind::kImage:
        gl().BindImageTexture(b.unit, b.object, 0, b.layered, 0, b.access, b.format);
        break;
      case Bindings::Kind::kBuffer:
        gl().BindBufferBase(GL_SHADER_STORAGE_BUFFER, b.unit, b.object);
        break;
    }
  }
  gl().DispatchCompute(command.groups[0], command.groups[1], command.groups[2]);
}

absl::Status Executor::Invoke(absl::Span<const absl::Span<const float>> inputs,
                              absl::Span<const absl::Span<float>> outputs) {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(inputs[i].data());
    if (auto s = inputs_[i].buffer.Upload(0, {bytes, inputs_[i].bytes}); !s.ok()) {
      return s;
    }
  }
  GLuint program = 0;
  for (const Command& command : commands_) Record(command, &program);
  gl().MemoryBarrier(final_barrier_);
  for (size_t i = 0; i < outputs_.size(); ++i) {
    auto* bytes = reinterpret_cast<uint8_t*>(outputs[i].data());
    if (auto s = outputs_[i].buffer.Read(0, {bytes, outputs_[i].bytes}); !s.ok()) {
      return s;
    }
  }
  return egl::CheckGl("running the partition");
}

}  // namespace gles_delegate
