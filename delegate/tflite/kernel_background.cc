// The part of GlesKernel that begins with a stand-in: a plan of few, plain
// programs (device/stand_in.h), while those of the partition's plan proper are
// compiled in the background.
#include <utility>

#include "absl/strings/str_cat.h"
#include "delegate/device/stand_in.h"
#include "delegate/tflite/kernel.h"

namespace gles_delegate {

bool GlesKernel::WantsStandIn() const {
  if (setup_.profile.choices.background_compilation == 0) return false;
  const Options& options = setup_.options;
  // What measures or shows a plan, or limits its memory, is about the plan
  // proper; and with GLES_DELEGATE_DUMP_PLAN only that one is written.
  if (options.enable_op_profiling || options.prefer_faster ||
      options.tuning != kTfLiteGlesTuningDefault ||
      options.memory_limit_bytes > 0 || builder_.dumps_plans()) {
    return false;
  }
  // Objects of the app's, or shared with other delegates, belong to contexts
  // that a third one need not be able to share with.
  if (!setup_.gpu->context->owned() || setup_.gpu->objects->by_key ||
      options.does_not_wait) {
    return false;
  }
  for (const auto* forms : {&bound_.inputs, &bound_.outputs}) {
    for (const ObjectForm& form : *forms) {
      if (form.is_bound()) return false;
    }
  }
  // A state would stay behind in the stand-in.
  for (TensorId id : graph_.inputs) {
    if (graph_.tensor(id).is_variable) return false;
  }
  // After a resize most programs, or all, are there.
  return compiled_in_.lock() != executor_context_;
}

bool GlesKernel::BuildStandIn() {
  BackgroundReport& report = setup_.report->background;
  report = {};
  if (!WantsStandIn()) return false;
  DeviceProfile profile = setup_.profile;
  profile.choices = StandInChoices(profile.choices);
  BuildOptions options = BuildOptionsOfPartition();
  options.cache = {};
  const ProgramCache& programs = setup_.gpu->objects->programs;
  const size_t programs_before = programs.size();
  PartitionBuilder builder(*executor_context_, setup_.gpu->objects.get(),
                           profile, std::move(options), setup_.partition.nodes,
                           setup_.report.get());
  builder.Bind(bound_);
  auto executor = builder.Build(graph_, original_);
  if (!executor.ok()) {
    report.reason =
        absl::StrCat("there is no stand-in: ", executor.status().message());
    return false;
  }
  stand_in_warnings_ = builder.TakeWarnings();
  report.state = "waiting";
  report.stand_in_programs =
      static_cast<int>(programs.size() - programs_before);
  UseExecutor(*std::move(executor));
  return true;
}

void GlesKernel::StartBackground() {
  BackgroundReport& report = setup_.report->background;
  if (report.state == "waiting" || report.state == "running") {
    ++report.stand_in_inferences;
  }
  if (report.state != "waiting") return;
  // The runtime's tensors stay where they are.
  BoundTransfers bound = bound_;
  for (const HostTransfer& input : executor_->inputs()) {
    bound.input_memory.push_back(input.HostMemory());
  }
  for (const HostTransfer& output : executor_->outputs()) {
    bound.output_memory.push_back(output.HostMemory());
  }
  std::shared_ptr<BackgroundThread>& thread = setup_.gpu->background;
  if (thread == nullptr) {
    auto started = BackgroundThread::Start(*executor_context_);
    if (!started.ok()) {
      report.state = "failed";
      report.reason = std::string(started.status().message());
      return;
    }
    thread = *std::move(started);
  }
  background_ = std::make_unique<BackgroundBuild>(
      thread,
      BackgroundBuildInput{setup_.gpu->objects, setup_.profile,
                           BuildOptionsOfPartition(), setup_.partition.nodes,
                           &graph_, &original_, std::move(bound)});
  report.state = "running";
}

void GlesKernel::TakeOver(TfLiteContext* context) {
  if (background_ == nullptr || !background_->IsDone()) return;
  BackgroundBuild::Result result = background_->Take();
  background_.reset();
  BackgroundReport& report = setup_.report->background;
  report.ms = result.ms;
  TellWarnings(context, std::move(result.warnings));
  absl::Status taken = result.executor.status();
  if (taken.ok()) {
    taken = executor_context_->Run([&] {
      (*result.executor)->MoveTo(*executor_context_);
      UseExecutor(*std::move(result.executor));
      return absl::OkStatus();
    });
  }
  if (!taken.ok()) {
    report.state = "failed";
    report.reason = std::string(taken.message());
    TellWarnings(context,
                 {absl::StrCat("WARNING: TfLiteGlesDelegate: a partition of ",
                               setup_.partition.nodes.size(),
                               " nodes stays with its stand-in, which is "
                               "slower: ",
                               report.reason)});
    return;
  }
  report.state = "done";
  objects_version_ = -1;
  compiled_in_ = executor_context_;
  // What the start took stays in the report, and what is wrong with the driver.
  BuildReport& kept = *setup_.report;
  result.report.stages = std::move(kept.stages);
  result.report.self_check_faults.insert(
      result.report.self_check_faults.begin(), kept.self_check_faults.begin(),
      kept.self_check_faults.end());
  kept = std::move(result.report);
}

void GlesKernel::StopBackground() {
  if (background_ == nullptr) return;
  background_.reset();
  setup_.report->background.state = "stopped";
}

}  // namespace gles_delegate
