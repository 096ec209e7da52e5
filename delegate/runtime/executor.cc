#include "delegate/runtime/executor.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "base/status_macros.h"
#include "egl/gl_api.h"

namespace gles_delegate {

void TimedRuns::Add(TimedRun run) {
  if (runs_.size() == kKept) runs_.pop_front();
  runs_.push_back(run);
  ++count_;
}

double TimedRuns::MedianUs() const {
  if (runs_.empty()) return 0;
  std::vector<double> sorted;
  for (const TimedRun& run : runs_) sorted.push_back(run.us);
  absl::c_sort(sorted);
  const size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle]
                                : (sorted[middle - 1] + sorted[middle]) / 2;
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
  if (parts_.has_debug_groups) egl::PushDebugGroup(command.label);
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
          external = egl::GetInteger(GL_TEXTURE_BINDING_EXTERNAL_OES);
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
  if (parts_.has_debug_groups) gl().PopDebugGroupKHR();
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

// --- Between the host's tensors and the GPU's buffers ------------------------

namespace {

// Of one piece of a staged transfer. Each piece costs a submission, so that
// smaller pieces cost more; the bus is idle while the host copies the first
// piece, so that larger pieces leave it idle longer.
constexpr size_t kStagedPieceBytes = 512 << 10;

}  // namespace

absl::Status Executor::CopyIn(const Piece& piece, Inputs inputs) {
  return parts_.inputs[piece.index].CopyIn(inputs[piece.index], piece.begin,
                                           piece.end, &copier_);
}

absl::Status Executor::CopyOut(const Piece& piece, Outputs outputs) {
  return parts_.outputs[piece.index].CopyOut(outputs[piece.index], piece.begin,
                                             piece.end, &copier_);
}

void Executor::RecordInPieces(size_t first, size_t end,
                              absl::Span<const uint8_t> from, GLuint* program) {
  // The GPU begins with a piece while the host copies the next one.
  HostTransfer& input = parts_.inputs[parts_.commands[first].piece.index];
  if (input.Holds(from)) {  // nothing to copy, and no piece to wait for
    for (size_t i = 0; i < input.Chunks(); ++i) input.ChunkFilled(i);
    input.CopyToStaging(0, input.bytes());
    for (size_t i = first; i < end; ++i) Record(parts_.commands[i], program);
    return;
  }
  size_t sent = 0;      // bytes, to the staging buffer
  size_t next = first;  // upload
  const auto send = [&](size_t copied) {
    if (input.is_staged()) {
      const bool all = copied == input.bytes();
      if (!all && copied - sent < kStagedPieceBytes) return;
      input.CopyToStaging(sent, copied);
      sent = copied;
      if (!all) gl().Flush();
      return;
    }
    while (next < end && parts_.commands[next].piece.end <= copied) {
      Record(parts_.commands[next++], program);
      if (next < end) gl().Flush();
    }
  };
  copier_.InOrder(
      egl::HostCopier::ThreadsFor(from.size()), input.Chunks(),
      [&](size_t chunk) { input.FillChunk(from, chunk); },
      [&](size_t chunk) {
        input.ChunkFilled(chunk);
        send(input.ChunkEnd(chunk));
      });
  // One upload unpacks everything in the staging buffer.
  for (; next < end; ++next) Record(parts_.commands[next], program);
}

absl::Status Executor::RecordUploads(Inputs inputs, GLuint* program) {
  for (size_t i = 0; i < uploads_end();) {
    const int index = parts_.commands[i].piece.index;
    size_t end = i + 1;
    while (end < uploads_end() && parts_.commands[end].piece.index == index) {
      ++end;
    }
    if (skip_[index]) {  // a state that stays on the GPU
      i = end;
      continue;
    }
    const HostTransfer& input = parts_.inputs[index];
    if (input.stays_mapped() && (end > i + 1 || input.is_staged())) {
      RecordInPieces(i, end, inputs[index], program);
      i = end;
      continue;
    }
    for (; i < end; ++i) {
      RETURN_IF_ERROR(CopyIn(parts_.commands[i].piece, inputs));
      Record(parts_.commands[i], program);
    }
  }
  return absl::OkStatus();
}

absl::Status Executor::InsertFence() {
  Barrier(parts_.final_barrier);
  ASSIGN_OR_RETURN(auto fence, egl::Fence::Insert());
  if (validator() != nullptr) validator()->FenceInserted();
  fences_.push_back(std::move(fence));
  return absl::OkStatus();
}

absl::Status Executor::RecordReadbacks(GLuint* program) {
  fences_.clear();
  for (size_t i = readbacks_begin(); i < parts_.commands.size(); ++i) {
    Record(parts_.commands[i], program);
    if (!parts_.commands[i].piece.fenced) continue;
    RETURN_IF_ERROR(InsertFence());
    if (i + 1 < parts_.commands.size()) gl().Flush();
  }
  // Outputs unpacked by the host have no readback.
  if (!fences_.empty() || parts_.commands.empty()) return absl::OkStatus();
  return InsertFence();
}

absl::Status Executor::Await(const egl::Fence& fence) {
  if (validator() != nullptr) validator()->FenceWaited();
  RETURN_IF_ERROR(fence.Wait(waiting_));
  return CheckResults();
}

void Executor::PackInputs(Inputs inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!parts_.inputs[i].is_packed_by_host() || skip_[i]) continue;
    parts_.inputs[i].Pack(inputs[i]);
  }
}

void Executor::UnpackOutputs(Outputs outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!parts_.outputs[i].is_packed_by_host()) continue;
    parts_.outputs[i].Unpack(outputs[i]);
  }
}

absl::Status Executor::AwaitLast() {
  // GL itself orders transfers that are bound at both ends.
  const bool host_writes = absl::c_any_of(
      parts_.inputs,
      [](const HostTransfer& input) { return !input.is_bound(); });
  if (host_writes) {
    for (const egl::Fence& fence : fences_) {
      RETURN_IF_ERROR(Await(fence));
    }
  }
  fences_.clear();
  return absl::OkStatus();
}

absl::Status Executor::FinishReadbacks(Outputs outputs) {
  for (const egl::Fence& fence : fences_) {
    RETURN_IF_ERROR(Await(fence));
  }
  fences_.clear();
  for (size_t i = readbacks_begin(); i < parts_.commands.size();) {
    // The pieces of an output follow one another: they are copied as a whole.
    Piece whole = parts_.commands[i].piece;
    for (++i; i < parts_.commands.size() &&
              parts_.commands[i].piece.index == whole.index;
         ++i) {
      whole.end = parts_.commands[i].piece.end;
    }
    RETURN_IF_ERROR(CopyOut(whole, outputs));
  }
  return absl::OkStatus();
}

// --- Textures and buffers of others ------------------------------------------

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
    // It is the last one (CommandBuilder).
    command.bindings.back().object = transfer->shader_object();
    if (command.object_params < 0 || command.scaling == object.scaling) {
      continue;
    }
    command.scaling = object.scaling;
    const UniformBlock block =
        ScalingUniforms(transfer->object(), object.scaling);
    RETURN_IF_ERROR(parts_.params.Upload(command.object_params, block.bytes()));
  }
  UseBuffers(inputs, outputs);
  return absl::OkStatus();
}

void Executor::UseBuffers(absl::Span<const UsedObject> inputs,
                          absl::Span<const UsedObject> outputs) {
  for (BoundCache& cache : parts_.caches) {
    const UsedObject& buffer = outputs[cache.output];
    cache.is_in_place = inputs[cache.input].name == buffer.name;
    GLuint view = buffer.view;
    if (view == 0 && cache.view != 0) {
      egl::SetBuffer(cache.view, GL_RGBA32F, buffer.name);
      view = cache.view;
    }
    for (const auto& [command, binding] : cache.bindings) {
      Binding& b = parts_.commands[command].bindings[binding];
      b.object = b.kind == Bindings::Kind::kBuffer ? buffer.name : view;
    }
  }
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

// --- Inferences that are timed, command by command ---------------------------

namespace {

using egl::TimerQuery;

// The places of the steps in the host's profile.
enum HostStep : size_t { kWriteInputs, kSubmit, kWait, kReadOutputs };

}  // namespace

absl::Status Executor::EnableProfiling(bool gpu_timers) {
  if (AnyPackedByHost(parts_.inputs)) {
    profile_.push_back({"upload by the host", "none"});
    first_command_entry_ = 1;
  }
  for (const Command& command : parts_.commands) {
    profile_.push_back(
        {command.label, command.shader, command.node, command.groups});
    if (!gpu_timers) continue;
    auto query = TimerQuery::Create();
    if (absl::IsUnimplemented(query.status())) {
      continue;  // no timers: fenced CPU time
    }
    if (!query.ok()) return query.status();
    queries_.push_back(*std::move(query));
  }
  if (AnyPackedByHost(parts_.outputs)) {
    profile_.push_back({"readback by the host", "none"});
  }
  NameHostSteps();
  return absl::OkStatus();
}

void Executor::NameHostSteps() {
  const bool waits_for_each = queries_.empty();
  host_profile_ = {
      {"write inputs", "none"},
      {waits_for_each ? "submit and wait for each" : "submit", "none"},
      {"wait for the GPU", "none"},
      {"read outputs", "none"}};
}

Executor::ProfileClock Executor::profile_clock() const {
  if (queries_.empty()) return ProfileClock::kHost;
  return queries_[0].has_timestamps() ? ProfileClock::kGpuTimestamps
                                      : ProfileClock::kGpuTimers;
}

void Executor::RecordTimed() {
  GLuint program = 0;
  for (size_t i = 0; i < parts_.commands.size(); ++i) {
    if (IsSkipped(i)) continue;
    const double start = NowUs();
    if (!queries_.empty()) {
      submitted_us_[i] = start;
      queries_[i].Begin();
    }
    Record(parts_.commands[i], &program);
    if (!queries_.empty()) {
      queries_[i].End();
      continue;
    }
    gl().Finish();
    if (validator() != nullptr) validator()->Finished();
    profile_[first_command_entry_ + i].runs.Add({start, NowUs() - start});
  }
}

absl::Status Executor::ReadTimers(double gpu_start_us) {
  for (size_t i = 0; i < queries_.size(); ++i) {
    if (IsSkipped(i)) continue;
    const auto times = queries_[i].Read();
    if (absl::IsUnavailable(times.status())) {
      continue;  // the clock was disturbed
    }
    if (!times.ok()) return times.status();
    const double start =
        times->begin_ns.has_value()
            ? gpu_start_us + static_cast<double>(*times->begin_ns) / 1000
            : submitted_us_[i];
    profile_[first_command_entry_ + i].runs.Add(
        {start, static_cast<double>(times->ns) / 1000});
  }
  return absl::OkStatus();
}

absl::Status Executor::InvokeTimed(Inputs inputs, Outputs outputs) {
  if (!queries_.empty() && queries_[0].IsBlocked()) {
    queries_.clear();
    for (ProfileEntry& entry : profile_) entry.runs = {};
    NameHostSteps();
  }
  submitted_us_.resize(queries_.size());
  // The time on the host when the GPU's clock was 0.
  double gpu_start_us = 0;
  if (profile_clock() == ProfileClock::kGpuTimestamps) {
    gpu_start_us = NowUs() - static_cast<double>(TimerQuery::Now()) / 1000;
  }
  double start = NowUs();
  const auto count = [&start](ProfileEntry& entry) {
    const double now = NowUs();
    entry.runs.Add({start, now - start});
    start = now;
  };
  Begin(inputs);
  const double packing = NowUs();
  PackInputs(inputs);
  if (AnyPackedByHost(parts_.inputs)) {
    profile_[0].runs.Add({packing, NowUs() - packing});
  }
  for (size_t i = 0; i < uploads_end(); ++i) {
    if (IsSkipped(i)) continue;
    RETURN_IF_ERROR(CopyIn(parts_.commands[i].piece, inputs));
  }
  count(host_profile_[kWriteInputs]);
  RecordTimed();
  Barrier(parts_.final_barrier);
  count(host_profile_[kSubmit]);
  gl().Finish();
  if (validator() != nullptr) validator()->Finished();
  count(host_profile_[kWait]);
  RETURN_IF_ERROR(ReadTimers(gpu_start_us));
  RETURN_IF_ERROR(CheckResults());
  start = NowUs();
  for (size_t i = readbacks_begin(); i < parts_.commands.size(); ++i) {
    RETURN_IF_ERROR(CopyOut(parts_.commands[i].piece, outputs));
  }
  const double unpacking = NowUs();
  UnpackOutputs(outputs);
  if (AnyPackedByHost(parts_.outputs)) {
    profile_.back().runs.Add({unpacking, NowUs() - unpacking});
  }
  count(host_profile_[kReadOutputs]);
  return Outcome();
}

}  // namespace gles_delegate
