#include "delegate/session/executor_source.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/device/tuning_parameters.h"
#include "delegate/partition/background_build.h"
#include "egl/gl_api.h"

namespace gles_delegate {

// --- Options that exclude one another ----------------------------------------

namespace {

using F = FeatureFacts;

constexpr Exclusion kExclusions[] = {
    // Options that measure or show a plan, or limit its memory, apply to the
    // optimized plan; GLES_DELEGATE_DEBUG=plan writes only that.
    {&F::profiles, "enable_op_profiling", "enable_op_profiling is set", true,
     false},
    {&F::limits_memory, "memory_limit_bytes", "memory_limit_bytes is set", true,
     false},
    {&F::dumps_plans, "GLES_DELEGATE_DEBUG=plan",
     "GLES_DELEGATE_DEBUG=plan is set", true, false},
    // The app's objects, and those shared with other delegates, belong to
    // contexts with which a third one may not be able to share.
    {&F::borrows_context, "borrowed context", "the context is the app's", true,
     false},
    {&F::shares_by_key, "share_key", "share_key is set", true, false},
    // The outputs are bound objects. The host may write inputs that the GPU
    // still reads.
    {&F::does_not_wait, "bound objects", "wait_type is do_not_wait", true,
     true},
    {&F::has_bound_object, "bound objects", "an object of the app's is bound",
     true, true},
    {&F::has_variable, "variable",
     "a variable tensor's state would stay behind in the baseline plan", true,
     true},
    {&F::has_custom_memory, "custom allocations",
     "the app has provided the tensor's memory", false, true},
    {&F::was_compiled, nullptr, "most programs were compiled before the resize",
     true, false},
};

std::string Why(bool Exclusion::*excludes, const FeatureFacts& facts) {
  for (const Exclusion& exclusion : kExclusions) {
    if (exclusion.*excludes && facts.*exclusion.fact) return exclusion.why;
  }
  return "";
}

}  // namespace

absl::Span<const Exclusion> Exclusions() { return kExclusions; }

std::string WhyNoBaseline(const FeatureFacts& facts) {
  return Why(&Exclusion::excludes_baseline, facts);
}

std::string WhyNoZeroCopy(const FeatureFacts& facts) {
  return Why(&Exclusion::excludes_zero_copy, facts);
}

namespace {

// The option startup: tiered. Starts with a baseline plan of few, simple
// programs (device/tuning_parameters.h), while those of the optimized plan are
// compiled in the background. After the first inference with the baseline plan,
// the optimized plan is built in the background. Later inferences warm up a few
// of its programs each, and the one that finds all of them ready switches. If
// the build fails, the baseline plan stays, with a warning.
class TieredSource final : public ExecutorSource {
 public:
  // nullptr: there is no baseline plan; the report says why if the option is
  // on. As ExecutorSource::Make().
  static std::unique_ptr<ExecutorSource> Make(const ExecutorSetup& setup);

  bool is_optimized() const override { return is_optimized_; }
  bool HasNext() override;
  bool Advance(Executor::Inputs inputs) override;
  void NoteInference() override;
  void Stop() override;
  void AwaitCache() override;

 private:
  explicit TieredSource(const ExecutorSetup& setup);
  BackgroundReport& report() { return setup_.report->background; }
  void StartBackground();
  // After the background ended: takes its result, or keeps the baseline plan.
  void TakeResult();
  void KeepBaseline(const absl::Status& why);
  // Moves the build's report to the partition's.
  void TakeReport();

  std::shared_ptr<egl::Context> context_;
  bool is_optimized_ = false;
  // Builds the optimized plan; else nullptr.
  std::unique_ptr<BackgroundBuild> background_;
  // Its result, not yet in use.
  std::optional<BackgroundBuild::Result> built_;
};

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

TieredSource::TieredSource(const ExecutorSetup& setup)
    : ExecutorSource(setup), context_(setup.gpu->context) {}

std::unique_ptr<ExecutorSource> TieredSource::Make(const ExecutorSetup& setup) {
  BackgroundReport& report = setup.report->background;
  report = {};
  if (setup.profile->options.startup != Startup::kTiered) return nullptr;
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

absl::StatusOr<std::unique_ptr<ExecutorSource>> MakeAlone(
    const ExecutorSetup& setup) {
  if (auto tiered = TieredSource::Make(setup)) return tiered;
  return DirectSource::Make(setup);
}

}  // namespace

absl::StatusOr<std::unique_ptr<ExecutorSource>> ExecutorSource::Make(
    const ExecutorSetup& setup) {
  SharedObjects& objects = *setup.gpu->objects;
  const std::lock_guard<std::mutex> lock(objects.building);
  setup.report->profile.clear();
  setup.report->host_profile.clear();
  auto source = MakeAlone(setup);
  objects.program_count = objects.programs.size();
  // Objects must be complete before another context uses them.
  if (objects.by_key || setup.gpu->pins_context) egl::gl().Finish();
  return source;
}

void ExecutorSource::Use(std::unique_ptr<Executor> executor) {
  executor_ = std::move(executor);
  executor_->WaitBy(setup_.options->waiting);
  executor_->ReturnAtOnce(setup_.options->does_not_wait);
  setup_.report->executor = executor_.get();
  setup_.report->was_built = true;
}

void ExecutorSource::Warn(std::vector<std::string> lines) {
  for (std::string& line : lines) warnings_.push_back(std::move(line));
}

absl::StatusOr<std::unique_ptr<ExecutorSource>> DirectSource::Make(
    const ExecutorSetup& setup) {
  setup.builder->Bind(setup.bound);
  auto executor = setup.builder->Build(*setup.graph, *setup.original);
  // An error's message is sufficient by itself.
  std::vector<std::string> warnings = setup.builder->TakeWarnings();
  if (!executor.ok()) return executor.status();
  std::unique_ptr<DirectSource> source(new DirectSource(setup));
  source->Use(*std::move(executor));
  source->Warn(std::move(warnings));
  if (setup.options->profiles) {
    const bool has_gpu_timers = !setup.gpu->context->device().software;
    auto s = source->executor().EnableProfiling(has_gpu_timers);
    if (!s.ok()) {
      setup.report->executor = nullptr;
      return s;
    }
  }
  return source;
}

}  // namespace gles_delegate
