// The part of GlesKernel that starts with a baseline plan of few, simple
// programs (device/baseline.h), while those of the optimized plan are compiled
// in the background.
#include <chrono>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "delegate/device/baseline.h"
#include "delegate/tflite/kernel.h"
#include "delegate/tflite/messages.h"

namespace gles_delegate {
namespace {

// Time per inference for warming up the optimized plan's programs. Each
// inference prepares at least one, however long the driver takes.
constexpr auto kWarmUpBudget = std::chrono::milliseconds(2);

}  // namespace

std::string GlesKernel::WhyNoBaseline() const {
  const Options& options = setup_.options;
  // Options that measure or show a plan, or limit its memory, apply to the
  // optimized plan; GLES_DELEGATE_DEBUG=plan writes only that.
  if (options.enable_op_profiling) return "enable_op_profiling is set";
  if (options.memory_limit_bytes > 0) return "memory_limit_bytes is set";
  if (builder_.dumps_plans()) return "GLES_DELEGATE_DEBUG=plan is set";
  // The app's objects, and those shared with other delegates, belong to
  // contexts with which a third one may not be able to share.
  if (!setup_.gpu->context->owned()) return "the context is the app's";
  if (setup_.gpu->objects->by_key) return "share_key is set";
  if (options.does_not_wait) return "wait_type is do_not_wait";
  for (const auto* forms : {&bound_.inputs, &bound_.outputs}) {
    for (const ObjectForm& form : *forms) {
      if (form.is_bound()) return "an object of the app's is bound";
    }
  }
  for (TensorId id : graph_.inputs) {
    if (graph_.tensor(id).is_variable) {
      return "a variable tensor's state would stay behind in the baseline plan";
    }
  }
  if (compiled_in_.lock() == executor_context_) {
    return "most programs were compiled before the resize";
  }
  return "";
}

bool GlesKernel::BuildBaseline() {
  BackgroundReport& report = setup_.report->background;
  report = {};
  if (setup_.profile.choices.background_compilation == 0) return false;
  report.reason = WhyNoBaseline();
  if (!report.reason.empty()) return false;
  DeviceProfile profile = setup_.profile;
  profile.choices = BaselineChoices(profile.choices);
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
    report.reason = absl::StrCat("there is no baseline plan: ",
                                 executor.status().message());
    return false;
  }
  baseline_warnings_ = builder.TakeWarnings();
  report.state = "waiting";
  report.baseline_programs =
      static_cast<int>(programs.size() - programs_before);
  UseExecutor(*std::move(executor));
  return true;
}

void GlesKernel::StartBackground(TfLiteContext* context) {
  BackgroundReport& report = setup_.report->background;
  if (report.state == "waiting" || report.state == "running") {
    ++report.baseline_inferences;
  }
  if (report.state != "waiting") return;
  // The runtime's tensors keep their memory.
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
      KeepBaseline(context, started.status());
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

void GlesKernel::TakeResult(TfLiteContext* context) {
  BackgroundBuild::Result result = background_->Take();
  background_.reset();
  setup_.report->background.ms = result.ms;
  TellWarnings(context, std::exchange(result.warnings, {}));
  if (!result.executor.ok()) {
    KeepBaseline(context, result.executor.status());
    return;
  }
  (*result.executor)->MoveTo(*executor_context_);
  built_in_background_ = std::move(result);
}

void GlesKernel::TakeOver(TfLiteContext* context) {
  if (background_ != nullptr && background_->IsDone()) TakeResult(context);
  if (!built_in_background_) return;
  // The inference reports errors of its tensors.
  if (!CollectTensors(context).ok()) return;
  std::unique_ptr<Executor>& next = *built_in_background_->executor;
  bool is_ready = false;
  const absl::Status warmed = executor_context_->Run([&]() -> absl::Status {
    auto ready = next->WarmUp(input_values_, kWarmUpBudget);
    if (!ready.ok()) return ready.status();
    is_ready = *ready;
    if (is_ready) UseExecutor(std::move(next));
    return absl::OkStatus();
  });
  if (absl::IsAborted(warmed)) return;  // lost; so is the inference
  if (!warmed.ok()) {
    StopBackground();
    KeepBaseline(context, warmed);
  }
  if (!is_ready) return;
  setup_.report->background.state = "done";
  objects_version_ = -1;
  compiled_in_ = executor_context_;
  // The report keeps the start's times and the driver's errors.
  BuildReport& kept = *setup_.report;
  BuildReport& built = built_in_background_->report;
  built.stages = std::move(kept.stages);
  built.self_check_faults.insert(built.self_check_faults.begin(),
                                 kept.self_check_faults.begin(),
                                 kept.self_check_faults.end());
  kept = std::move(built);
  built_in_background_.reset();
}

void GlesKernel::KeepBaseline(TfLiteContext* context, const absl::Status& why) {
  BackgroundReport& report = setup_.report->background;
  report.state = "failed";
  report.reason = std::string(why.message());
  TellWarnings(
      context,
      {absl::StrCat("a partition of ", setup_.partition.nodes.size(),
                    " nodes stays with its baseline plan, which is slower: ",
                    report.reason)});
}

void GlesKernel::StopBackground() {
  if (background_ == nullptr && !built_in_background_) return;
  background_.reset();
  // If the context is lost, its objects are as well.
  (void)executor_context_->Run([this] {
    built_in_background_.reset();
    return absl::OkStatus();
  });
  built_in_background_.reset();
  setup_.report->background.state = "stopped";
}

}  // namespace gles_delegate
