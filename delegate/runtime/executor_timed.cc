// Inferences that are timed, command by command.
#include "base/status_macros.h"
#include "delegate/runtime/executor.h"

namespace gles_delegate {
namespace {

using egl::gl;
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
    if (absl::IsUnimplemented(query.status()))
      continue;  // no timers: fenced CPU time
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
    if (absl::IsUnavailable(times.status()))
      continue;  // the clock was
                 // disturbed
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
