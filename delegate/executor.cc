#include "delegate/executor.h"

#include <chrono>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "delegate/executor_builder.h"
#include "egl/host_copy.h"

namespace gles_delegate {

using egl::gl;
using egl::TimerQuery;
using gl_shaders::Bindings;

absl::StatusOr<std::unique_ptr<Executor>> Executor::Create(
    const egl::Context& context, ProgramCache* programs, const Graph& graph,
    std::vector<Dispatch> dispatches, const DeviceProfile& profile,
    PartitionCache* cache) {
  return ExecutorBuilder(context, programs, graph, std::move(dispatches), profile, cache)
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

absl::Status Executor::EnableProfiling(bool gpu_timers) {
  for (const Command& command : commands_) {
    profile_.push_back({command.label, command.shader, command.node, command.groups});
    if (!gpu_timers) continue;
    auto query = TimerQuery::Create();
    if (absl::IsUnimplemented(query.status())) continue;  // no timers: fenced CPU time
    if (!query.ok()) return query.status();
    queries_.push_back(*std::move(query));
  }
  return absl::OkStatus();
}

absl::Status Executor::RecordTimed() {
  using Clock = std::chrono::steady_clock;
  GLuint program = 0;
  for (size_t i = 0; i < commands_.size(); ++i) {
    const auto start = Clock::now();
    if (!queries_.empty()) queries_[i].Begin();
    Record(commands_[i], &program);
    if (!queries_.empty()) {
      queries_[i].End();
      continue;
    }
    gl().Finish();
    profile_[i].total_us +=
        std::chrono::duration<double, std::micro>(Clock::now() - start).count();
    ++profile_[i].count;
  }
  for (size_t i = 0; i < queries_.size(); ++i) {
    auto ns = queries_[i].Nanoseconds();
    if (absl::IsUnavailable(ns.status())) continue;  // the clock was disturbed
    if (!ns.ok()) return ns.status();
    profile_[i].total_us += static_cast<double>(*ns) / 1000;
    ++profile_[i].count;
  }
  return absl::OkStatus();
}

absl::Status Executor::WaitForGpu() {
  // Polling saves a few microseconds over sleeping in the driver; an inference
  // that takes longer than this is not worth a busy core.
  constexpr int kSpinUs = 2000;
  auto fence = egl::Fence::Insert();
  if (!fence.ok()) return fence.status();
  return fence->Wait(kSpinUs);
}

absl::Status Executor::Invoke(
    absl::Span<const absl::Span<const uint8_t>> inputs,
    absl::Span<const absl::Span<uint8_t>> outputs) {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const auto bytes = inputs[i].first(inputs_[i].bytes);
    if (auto s = inputs_[i].buffer.Upload(0, bytes); !s.ok()) return s;
  }
  if (profile_.empty()) {
    GLuint program = 0;
    for (const Command& command : commands_) Record(command, &program);
  } else if (auto s = RecordTimed(); !s.ok()) {
    return s;
  }
  gl().MemoryBarrier(final_barrier_);
  if (mapped_) {
    if (auto s = WaitForGpu(); !s.ok()) return s;
  }
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const egl::Buffer& buffer = outputs_[i].buffer;
    uint8_t* bytes = outputs[i].data();
    if (mapped_) {
      egl::HostCopy(bytes, buffer.mapped(), outputs_[i].bytes);
    } else if (auto s = buffer.Read(0, {bytes, outputs_[i].bytes}); !s.ok()) {
      return s;
    }
  }
  return egl::CheckGl("running the partition");
}

}  // namespace gles_delegate
