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
  return ExecutorBuilder(context, programs, graph, std::move(dispatches),
                         profile, cache)
      .Build();
}

void Executor::Record(const Command& command, GLuint* program) const {
  if (command.barrier != 0) gl().MemoryBarrier(command.barrier);
  if (command.program != *program) {
    gl().UseProgram(command.program);
    *program = command.program;
  }
  gl().BindBufferRange(GL_UNIFORM_BUFFER, 0, params_.id(),
                       command.params_offset, command.params_bytes);
  for (const Binding& b : command.bindings) {
    switch (b.kind) {
      case Bindings::Kind::kSampler:
        gl().ActiveTexture(GL_TEXTURE0 + b.unit);
        gl().BindTexture(b.target, b.object);
        break;
      case Bindings::Kind::kImage:
        gl().BindImageTexture(b.unit, b.object, 0, b.layered, 0, b.access,
                              b.format);
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
    profile_.push_back(
        {command.label, command.shader, command.node, command.groups});
    if (!gpu_timers) continue;
    auto query = TimerQuery::Create();
    if (absl::IsUnimplemented(query.status()))
      continue;  // no timers: fenced CPU time
    if (!query.ok()) return query.status();
    queries_.push_back(*std::move(query));
  }
  return absl::OkStatus();
}

absl::Status Executor::RecordTimed() {
  using Clock = std::chrono::steady_clock;
  GLuint program = 0;
  for (size_t i = 0; i < commands_.size(); ++i) {
    if (IsSkipped(i)) continue;
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
    if (IsSkipped(i)) continue;
    auto ns = queries_[i].Nanoseconds();
    if (absl::IsUnavailable(ns.status())) continue;  // the clock was disturbed
    if (!ns.ok()) return ns.status();
    profile_[i].total_us += static_cast<double>(*ns) / 1000;
    ++profile_[i].count;
  }
  return absl::OkStatus();
}

absl::Status Executor::CopyIn(const Piece& piece, Inputs inputs) {
  const size_t bytes = piece.end - piece.begin;
  return inputs_[piece.tensor].buffer.Upload(
      piece.begin, inputs[piece.tensor].subspan(piece.begin, bytes));
}

absl::Status Executor::CopyOut(const Piece& piece, Outputs outputs) const {
  const egl::Buffer& buffer = outputs_[piece.tensor].buffer;
  const size_t bytes = piece.end - piece.begin;
  const auto to = outputs[piece.tensor].subspan(piece.begin, bytes);
  if (!mapped_) return buffer.Read(piece.begin, to);
  egl::HostCopy(to.data(), buffer.mapped() + piece.begin, bytes);
  return absl::OkStatus();
}

absl::Status Executor::RecordUploads(Inputs inputs, GLuint* program) {
  // The GPU begins with a piece while the next one is copied.
  for (size_t i = 0; i < uploads_end();) {
    const int tensor = commands_[i].piece.tensor;
    const size_t bytes = inputs_[tensor].bytes;
    size_t end = i + 1;
    while (end < uploads_end() && commands_[end].piece.tensor == tensor) ++end;
    if (skip_[tensor]) {  // a state that stays on the GPU
      i = end;
      continue;
    }
    if (end == i + 1 || !mapped_) {
      for (; i < end; ++i) {
        if (auto s = CopyIn(commands_[i].piece, inputs); !s.ok()) return s;
        Record(commands_[i], program);
      }
      continue;
    }
    uint8_t* to = inputs_[tensor].buffer.mapped();
    egl::CopyInOrder(
        bytes, end - i,
        [&](size_t n) {
          const Piece& piece = commands_[i + n].piece;
          egl::HostCopyBy(1, to + piece.begin,
                          inputs[tensor].data() + piece.begin,
                          piece.end - piece.begin);
        },
        [&](size_t n) {
          Record(commands_[i + n], program);
          if (i + n + 1 < end) gl().Flush();
        });
    i = end;
  }
  return absl::OkStatus();
}

absl::Status Executor::RecordReadbacks(GLuint* program) {
  fences_.clear();
  for (size_t i = readbacks_begin(); i < commands_.size(); ++i) {
    Record(commands_[i], program);
    if (!commands_[i].piece.fenced) continue;
    gl().MemoryBarrier(final_barrier_);
    if (!mapped_) continue;
    auto fence = egl::Fence::Insert();
    if (!fence.ok()) return fence.status();
    fences_.push_back(*std::move(fence));
    if (i + 1 < commands_.size()) gl().Flush();
  }
  return absl::OkStatus();
}

absl::Status Executor::FinishReadbacks(Outputs outputs) {
  // Polling saves a few microseconds over sleeping in the driver; an inference
  // that takes longer than this is not worth a busy core.
  constexpr int kSpinUs = 2000;
  size_t ready = readbacks_begin();  // the first that is not copied
  size_t fence = 0;
  for (size_t i = ready; i < commands_.size(); ++i) {
    if (!commands_[i].piece.fenced) continue;
    if (mapped_) {
      if (auto s = fences_[fence++].Wait(kSpinUs); !s.ok()) return s;
    }
    for (; ready <= i; ++ready) {
      if (auto s = CopyOut(commands_[ready].piece, outputs); !s.ok()) return s;
    }
  }
  fences_.clear();
  return absl::OkStatus();
}

absl::Status Executor::Invoke(Inputs inputs, Outputs outputs) {
  for (size_t i = 0; i < inputs.size(); ++i) skip_[i] = inputs[i].empty();
  if (state_barrier_ != 0) gl().MemoryBarrier(state_barrier_);
  GLuint program = 0;
  if (profile_.empty()) {
    if (auto s = RecordUploads(inputs, &program); !s.ok()) return s;
    for (size_t i = uploads_end(); i < readbacks_begin(); ++i) {
      Record(commands_[i], &program);
    }
    if (auto s = RecordReadbacks(&program); !s.ok()) return s;
    if (auto s = FinishReadbacks(outputs); !s.ok()) return s;
    return egl::CheckGl("running the partition");
  }
  for (size_t i = 0; i < uploads_end(); ++i) {
    if (IsSkipped(i)) continue;
    if (auto s = CopyIn(commands_[i].piece, inputs); !s.ok()) return s;
  }
  if (auto s = RecordTimed(); !s.ok()) return s;
  gl().MemoryBarrier(final_barrier_);
  gl().Finish();
  for (size_t i = readbacks_begin(); i < commands_.size(); ++i) {
    if (auto s = CopyOut(commands_[i].piece, outputs); !s.ok()) return s;
  }
  return egl::CheckGl("running the partition");
}

}  // namespace gles_delegate
