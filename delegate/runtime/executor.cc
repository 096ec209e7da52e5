#include "delegate/runtime/executor.h"

#include <algorithm>
#include <utility>

#include "base/status_macros.h"
#include "egl/debug.h"

namespace gles_delegate {

void TimedRuns::Add(TimedRun run) {
  const size_t at = static_cast<size_t>(count_++) % kKept;
  if (at < ring_.size()) {
    ring_[at] = run;
  } else {
    ring_.push_back(run);
  }
}

double TimedRuns::MedianUs() const {
  if (ring_.empty()) return 0;
  std::vector<double> sorted;
  for (const TimedRun& run : ring_) sorted.push_back(run.us);
  std::sort(sorted.begin(), sorted.end());
  const size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle]
                                : (sorted[middle - 1] + sorted[middle]) / 2;
}

std::vector<TimedRun> TimedRuns::Last(size_t most) const {
  std::vector<TimedRun> last;
  const size_t kept = std::min(most, ring_.size());
  for (size_t i = 0; i < kept; ++i) {
    last.push_back(
        ring_[(static_cast<size_t>(count_) - kept + i) % ring_.size()]);
  }
  return last;
}

using egl::gl;
using gl_shaders::Bindings;

Executor::Executor(ExecutorParts parts)
    : parts_(std::move(parts)), skip_(parts_.inputs.size(), false) {
  fences_.reserve(parts_.readbacks + 1);
}

void Executor::Barrier(GLbitfield bits) {
  if (bits == 0) return;
  gl().MemoryBarrier(bits);
  if (validator() != nullptr) validator()->Barrier(bits);
}

void Executor::Record(const Command& command, GLuint* program) {
  const egl::DebugGroup group(parts_.has_debug_groups ? command.label.c_str()
                                                      : nullptr);
  Barrier(command.barrier);
  if (command.program != *program) {
    gl().UseProgram(command.program);
    *program = command.program;
  }
  if (command.params_bytes > 0) {
    gl().BindBufferRange(GL_UNIFORM_BUFFER, 0, parts_.params.id(),
                         command.params_offset, command.params_bytes);
  }
  const Binding* app_texture = nullptr;
  GLint external = 0;  // that the app has bound there
  for (const Binding& b : command.bindings) {
    switch (b.kind) {
      case Bindings::Kind::kSampler:
        gl().ActiveTexture(GL_TEXTURE0 + b.unit);
        if (b.target == GL_TEXTURE_EXTERNAL_OES) {
          gl().GetIntegerv(GL_TEXTURE_BINDING_EXTERNAL_OES, &external);
        }
        gl().BindTexture(b.target, b.object);
        if (b.sampler != 0) {
          gl().BindSampler(b.unit, b.sampler);
          app_texture = &b;
        }
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
  if (app_texture != nullptr) {
    // Other dispatches have no sampler objects, and GlState knows nothing of
    // external textures. The app's texture was bound last, so that its unit is
    // the active one.
    gl().BindSampler(app_texture->unit, 0);
    if (app_texture->target == GL_TEXTURE_EXTERNAL_OES) {
      gl().BindTexture(GL_TEXTURE_EXTERNAL_OES, external);
    }
  }
  if (command.is_copied) parts_.outputs[command.piece.index].CopyToObject();
  if (validator() != nullptr) {
    validator()->Dispatched(
        static_cast<int>(&command - parts_.commands.data()));
  }
}

void Executor::Begin(Inputs inputs) {
  if (validator() != nullptr) validator()->BeginInvoke();
  for (size_t i = 0; i < inputs.size(); ++i) {
    const HostTransfer& input = parts_.inputs[i];
    skip_[i] = inputs[i].empty() && !input.is_bound();
    if (input.is_bound()) input.BringBound();
  }
  for (const BoundCache& cache : parts_.caches) {
    skip_[cache.input] = cache.is_in_place;
    if (!cache.is_in_place || validator() == nullptr) continue;
    validator()->AppWrote(cache.slot, parts_.inputs[cache.input].tensor());
  }
  Barrier(parts_.first_barrier);
}

absl::Status Executor::Outcome() const {
  if (validator() != nullptr && !validator()->status().ok()) {
    return validator()->status();
  }
  return egl::CheckGl("running the partition");
}

absl::Status Executor::CheckResults() const {
  RETURN_IF_ERROR(Outcome());
  return parts_.context == nullptr ? absl::OkStatus()
                                   : parts_.context->CheckReset();
}

void Executor::Abandon() {
  fences_.clear();
  gl().Finish();
  if (validator() != nullptr) validator()->Finished();
}

absl::Status Executor::Submit(Inputs inputs) {
  if (!fences_.empty()) {
    RETURN_IF_ERROR(AwaitLast());
  }
  Begin(inputs);
  PackInputs(inputs);
  GLuint program = 0;
  RETURN_IF_ERROR(RecordUploads(inputs, &program));
  const size_t early_end =
      uploads_end() +
      (parts_.early > 0 ? parts_.early : parts_.commands.size());
  for (size_t i = uploads_end(); i < readbacks_begin(); ++i) {
    if (i == early_end) gl().Flush();
    Record(parts_.commands[i], &program);
  }
  return RecordReadbacks(&program);
}

absl::StatusOr<bool> Executor::WarmUp(Inputs inputs, Clock::duration budget) {
  const auto start = Clock::now();
  Begin(inputs);
  PackInputs(inputs);
  GLuint program = 0;
  absl::Status status = RecordUploads(inputs, &program);
  for (size_t i = 0; i < uploads_end(); ++i) {
    warm_.insert(parts_.commands[i].program);
  }
  size_t next = uploads_end();
  for (bool goes_on = status.ok(); goes_on && next < parts_.commands.size();) {
    const Command& command = parts_.commands[next++];
    Record(command, &program);
    const bool is_new = warm_.insert(command.program).second;
    goes_on = status.ok() && !(is_new && Clock::now() - start >= budget);
  }
  Barrier(parts_.final_barrier);  // before the host next writes
  Abandon();
  if (status.ok()) status = CheckResults();
  if (!status.ok()) return status;
  return next == parts_.commands.size();
}

absl::Status Executor::Collect(Outputs outputs) {
  RETURN_IF_ERROR(FinishReadbacks(outputs));
  UnpackOutputs(outputs);
  return Outcome();
}

absl::Status Executor::Invoke(Inputs inputs, Outputs outputs) {
  absl::Status status;
  if (!profile_.empty()) {
    status = InvokeTimed(inputs, outputs);
  } else {
    status = Submit(inputs);
    if (status.ok() && returns_at_once_) {
      gl().Flush();
      status = CheckResults();
    } else if (status.ok()) {
      status = Collect(outputs);
    }
  }
  if (!status.ok()) Abandon();
  return status;
}

absl::StatusOr<bool> Executor::SubmitInvoke(Inputs inputs, Outputs outputs) {
  if (!profile_.empty() || returns_at_once_) {
    RETURN_IF_ERROR(Invoke(inputs, outputs));
    return false;
  }
  if (auto s = Submit(inputs); !s.ok()) {
    Abandon();
    return s;
  }
  gl().Flush();  // the GPU is to begin before anybody waits for it
  return true;
}

absl::Status Executor::WaitInvoke(Outputs outputs) {
  absl::Status status = Collect(outputs);
  if (!status.ok()) Abandon();
  return status;
}

}  // namespace gles_delegate
