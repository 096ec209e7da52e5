#include "delegate/session/tiered_source.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/device/baseline.h"
#include "delegate/session/exclusions.h"

namespace gles_delegate {
namespace {

// Time per inference for warming up the optimized plan's programs. Each
// inference prepares at least one, however long the driver takes.
constexpr auto kWarmUpBudget = std::chrono::milliseconds(2);

bool HasBoundObject(const BoundTransfers& bound) {
  const auto is_bound = [](const ObjectForm& form) { return form.is_bound(); };
  return std::any_of(bound.inputs.begin(), bound.inputs.end(), is_bound) ||
         std::any_of(bound.outputs.begin(), bound.outputs.end(), is_bound);
}

FeatureFacts FactsOf(const ExecutorSetup& setup) {
  const SessionOptions& options = *setup.options;
  const Graph& graph = *setup.graph;
  FeatureFacts facts;
  facts.profiles = options.profiles;
  facts.limits_memory = options.memory_limit_bytes > 0;
  facts.dumps_plans = setup.builder->dumps_plans();
  facts.borrows_context = !setup.gpu->context->owned();
  facts.shares_by_key = setup.gpu->objects->by_key;
  facts.does_not_wait = options.does_not_wait;
  facts.has_bound_object = HasBoundObject(setup.bound);
  facts.has_variable =
      std::any_of(graph.inputs.begin(), graph.inputs.end(),
                  [&](TensorId id) { return graph.tensor(id).is_variable; });
  facts.was_compiled = setup.was_compiled;
  return facts;
}

}  // namespace

TieredSource::TieredSource(const ExecutorSetup& setup)
    : ExecutorSource(setup), context_(setup.gpu->context) {}

std::unique_ptr<ExecutorSource> TieredSource::Make(const ExecutorSetup& setup) {
  BackgroundReport& report = setup.report->background;
  report = {};
  if (!setup.profile->options.tiered_start) return nullptr;
  report.reason = WhyNoBaseline(FactsOf(setup));
  if (!report.reason.empty()) return nullptr;
  DeviceProfile profile = *setup.profile;
  profile.choices = BaselineChoices(profile.choices);
  BuildOptions options = setup.options->build;
  options.cache = {};
  const ProgramCache& programs = setup.gpu->objects->programs;
  const size_t programs_before = programs.size();
  PartitionBuilder builder(*setup.gpu->context, setup.gpu->objects.get(),
                           profile, std::move(options), *setup.nodes,
                           setup.report);
  builder.Bind(setup.bound);
  auto executor = builder.Build(*setup.graph, *setup.original);
  if (!executor.ok()) {
    report.reason = absl::StrCat("there is no baseline plan: ",
                                 executor.status().message());
    return nullptr;
  }
  report.state = "waiting";
  report.baseline_programs =
      static_cast<int>(programs.size() - programs_before);
  std::unique_ptr<TieredSource> source(new TieredSource(setup));
  source->Use(*std::move(executor));
  source->Warn(builder.TakeWarnings());
  return source;
}

void TieredSource::NoteInference() {
  if (report().state == "waiting" || report().state == "running") {
    ++report().baseline_inferences;
  }
  if (report().state == "waiting") StartBackground();
}

void TieredSource::StartBackground() {
  // The runtime's tensors keep their memory.
  BoundTransfers bound = setup_.bound;
  for (const HostTransfer& input : executor().inputs()) {
    bound.input_memory.push_back(input.HostMemory());
  }
  for (const HostTransfer& output : executor().outputs()) {
    bound.output_memory.push_back(output.HostMemory());
  }
  std::shared_ptr<BackgroundThread>& thread = setup_.gpu->background;
  if (thread == nullptr) {
    auto started = BackgroundThread::Start(*context_);
    if (!started.ok()) {
      KeepBaseline(started.status());
      return;
    }
    thread = *std::move(started);
  }
  background_ = std::make_unique<BackgroundBuild>(
      thread,
      BackgroundBuildInput{setup_.gpu->objects, *setup_.profile,
                           setup_.options->build, *setup_.nodes, setup_.graph,
                           setup_.original, std::move(bound)});
  report().state = "running";
}

bool TieredSource::HasNext() {
  if (background_ != nullptr && background_->IsDone()) TakeResult();
  return built_.has_value();
}

void TieredSource::TakeResult() {
  BackgroundBuild::Result result = background_->Take();
  background_.reset();
  report().ms = result.ms;
  Warn(std::exchange(result.warnings, {}));
  if (!result.executor.ok()) {
    KeepBaseline(result.executor.status());
    return;
  }
  (*result.executor)->MoveTo(*context_);
  built_ = std::move(result);
}

bool TieredSource::Advance(Executor::Inputs inputs) {
  if (!built_) return false;
  std::unique_ptr<Executor>& next = *built_->executor;
  const absl::Status warmed = context_->Run([&]() -> absl::Status {
    ASSIGN_OR_RETURN(auto ready, next->WarmUp(inputs, kWarmUpBudget));
    is_optimized_ = ready;
    if (is_optimized_) Use(std::move(next));
    return absl::OkStatus();
  });
  if (absl::IsAborted(warmed)) return false;  // lost; so is the inference
  if (!warmed.ok()) {
    Stop();
    KeepBaseline(warmed);
    return is_optimized_;
  }
  if (!is_optimized_) return false;
  TakeReport();
  return true;
}

void TieredSource::TakeReport() {
  report().state = "done";
  // The report keeps the start's times and the driver's errors.
  BuildReport& kept = *setup_.report;
  BuildReport& built = built_->report;
  built.stages = std::move(kept.stages);
  built.self_check_faults.insert(built.self_check_faults.begin(),
                                 kept.self_check_faults.begin(),
                                 kept.self_check_faults.end());
  kept = std::move(built);
  built_.reset();
}

void TieredSource::KeepBaseline(const absl::Status& why) {
  report().state = "failed";
  report().reason = std::string(why.message());
  const std::string line =
      absl::StrCat("a partition of ", setup_.nodes->size(),
                   " nodes stays with its baseline plan, which is slower: ",
                   report().reason);
  Warn({line});
}

void TieredSource::Stop() {
  if (background_ == nullptr && !built_) return;
  background_.reset();
  // If the context is lost, its objects are as well.
  (void)context_->Run([this] {
    built_.reset();
    return absl::OkStatus();
  });
  built_.reset();
  report().state = "stopped";
}

void TieredSource::AwaitCache() {
  if (background_ != nullptr &&
      !setup_.options->build.cache.directory.empty()) {
    background_->Wait();
  }
}

}  // namespace gles_delegate
