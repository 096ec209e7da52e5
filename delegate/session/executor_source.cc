// Of session.h: which executor runs the next inference.
#include <chrono>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/session/session.h"
#include "egl/gl_api.h"

namespace gles_delegate {

// --- Options that exclude one another ----------------------------------------

absl::Span<const Exclusion> Exclusions() {
  using F = FeatureFacts;
  static constexpr Exclusion kExclusions[] = {
      // Options that measure or show a plan, or limit its memory, apply to the
      // optimized plan; GLES_DELEGATE_DEBUG=plan writes only that.
      {&F::profiles, "enable_op_profiling", "enable_op_profiling is set", true,
       false},
      {&F::limits_memory, "memory_limit_bytes", "memory_limit_bytes is set",
       true, false},
      {&F::dumps_plans, "GLES_DELEGATE_DEBUG=plan",
       "GLES_DELEGATE_DEBUG=plan is set", true, false},
      // The app's objects, and those shared with other delegates, belong to
      // contexts with which a third one may not be able to share.
      {&F::borrows_context, "borrowed context", "the context is the app's",
       true, false},
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
      {&F::was_compiled, nullptr,
       "most programs were compiled before the resize", true, false},
  };
  return kExclusions;
}

std::string WhyNot(bool Exclusion::*excludes, const FeatureFacts& facts) {
  for (const Exclusion& exclusion : Exclusions()) {
    if (exclusion.*excludes && facts.*exclusion.fact) return exclusion.why;
  }
  return "";
}

namespace {

// Time per inference for warming up the optimized plan's programs. Each
// inference prepares at least one, however long the driver takes.
constexpr auto kWarmUpBudget = std::chrono::milliseconds(2);

bool HasBoundObject(const BoundTransfers& bound) {
  const auto is_bound = [](const ObjectForm& form) { return form.is_bound(); };
  return absl::c_any_of(bound.inputs, is_bound) ||
         absl::c_any_of(bound.outputs, is_bound);
}

FeatureFacts FactsOf(const ExecutorSetup& setup) {
  const SessionOptions& options = setup.session.options;
  const Graph& graph = setup.graph;
  FeatureFacts facts;
  facts.profiles = options.profiles;
  facts.limits_memory = options.memory_limit_bytes > 0;
  facts.dumps_plans = setup.builder->dump()->is_on();
  facts.borrows_context = !setup.session.gpu->context->owned();
  facts.shares_by_key = setup.session.gpu->objects->by_key;
  facts.does_not_wait = options.does_not_wait;
  facts.has_bound_object = HasBoundObject(setup.bound);
  facts.has_variable = absl::c_any_of(
      graph.inputs, [&](TensorId id) { return graph.tensor(id).is_variable; });
  facts.was_compiled = setup.was_compiled;
  return facts;
}

}  // namespace

ExecutorSource::ExecutorSource(const ExecutorSetup& setup)
    : setup_(setup), context_(setup.session.gpu->context) {}

absl::StatusOr<std::unique_ptr<ExecutorSource>> ExecutorSource::Make(
    const ExecutorSetup& setup) {
  SharedObjects& objects = *setup.session.gpu->objects;
  const std::lock_guard<std::mutex> lock(objects.building);
  setup.session.report->profile.clear();
  setup.session.report->host_profile.clear();
  std::unique_ptr<ExecutorSource> source(new ExecutorSource(setup));
  absl::Status started;
  if (!source->StartWithBaseline()) started = source->StartOptimized();
  objects.program_count = objects.programs.size();
  // Objects must be complete before another context uses them.
  if (objects.by_key || setup.session.gpu->pins_context) egl::gl().Finish();
  if (!started.ok()) return started;
  return source;
}

bool ExecutorSource::StartWithBaseline() {
  report() = {};
  if (session().profile.options.startup != Startup::kTiered) return false;
  report().reason = WhyNot(&Exclusion::excludes_baseline, FactsOf(setup_));
  if (!report().reason.empty()) return false;
  DeviceProfile profile = session().profile;
  profile.choices = BaselineChoices(profile.choices);
  BuildOptions options = session().options.build;
  options.cache = {};
  const ProgramCache& programs = session().gpu->objects->programs;
  const size_t programs_before = programs.size();
  PartitionBuilder builder(*context_, session().gpu->objects.get(), profile,
                           std::move(options), session().nodes,
                           session().report.get());
  builder.Bind(setup_.bound);
  auto executor = builder.Build(setup_.graph, setup_.original);
  if (!executor.ok()) {
    report().reason = absl::StrCat("there is no baseline plan: ",
                                   executor.status().message());
    return false;
  }
  report().state = "waiting";
  report().baseline_programs =
      static_cast<int>(programs.size() - programs_before);
  Use(*std::move(executor));
  Warn(builder.TakeWarnings());
  return true;
}

absl::Status ExecutorSource::StartOptimized() {
  is_optimized_ = true;
  setup_.builder->Bind(setup_.bound);
  auto executor = setup_.builder->Build(setup_.graph, setup_.original);
  // An error's message is sufficient by itself.
  std::vector<std::string> warnings = setup_.builder->TakeWarnings();
  if (!executor.ok()) return executor.status();
  Use(*std::move(executor));
  Warn(std::move(warnings));
  if (!session().options.profiles) return absl::OkStatus();
  const bool has_gpu_timers = !context_->device().software;
  auto s = executor_->EnableProfiling(has_gpu_timers);
  if (!s.ok()) session().report->executor = nullptr;
  return s;
}

void ExecutorSource::Use(std::unique_ptr<Executor> executor) {
  executor_ = std::move(executor);
  executor_->WaitBy(session().options.waiting);
  executor_->ReturnAtOnce(session().options.does_not_wait);
  session().report->executor = executor_.get();
  session().report->was_built = true;
}

void ExecutorSource::Warn(std::vector<std::string> lines) {
  for (std::string& line : lines) warnings_.push_back(std::move(line));
}

void ExecutorSource::NoteInference() {
  if (report().state == "waiting" || report().state == "running") {
    ++report().baseline_inferences;
  }
  if (report().state == "waiting") StartBackground();
}

void ExecutorSource::StartBackground() {
  // The runtime's tensors keep their memory.
  BoundTransfers bound = setup_.bound;
  for (const HostTransfer& input : executor().inputs()) {
    bound.input_memory.push_back(input.HostMemory());
  }
  for (const HostTransfer& output : executor().outputs()) {
    bound.output_memory.push_back(output.HostMemory());
  }
  std::shared_ptr<BackgroundThread>& thread = session().gpu->background;
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
      BackgroundBuildInput{session().gpu->objects, session().profile,
                           session().options.build, session().nodes,
                           &setup_.graph, &setup_.original, std::move(bound)});
  report().state = "running";
}

bool ExecutorSource::HasNext() {
  if (background_ == nullptr || !background_->IsDone()) {
    return built_.has_value();
  }
  BackgroundBuild::Result result = background_->Take();
  background_.reset();
  report().ms = result.ms;
  Warn(std::exchange(result.warnings, {}));
  if (!result.executor.ok()) {
    KeepBaseline(result.executor.status());
    return false;
  }
  (*result.executor)->MoveTo(*context_);
  built_ = std::move(result);
  return true;
}

bool ExecutorSource::Advance(Executor::Inputs inputs) {
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
  report().state = "done";
  // The report keeps the start's times and the driver's errors.
  BuildReport& kept = *session().report;
  BuildReport& built = built_->report;
  built.stages = std::move(kept.stages);
  built.self_check_faults.insert(built.self_check_faults.begin(),
                                 kept.self_check_faults.begin(),
                                 kept.self_check_faults.end());
  kept = std::move(built);
  built_.reset();
  return true;
}

void ExecutorSource::KeepBaseline(const absl::Status& why) {
  report().state = "failed";
  report().reason = std::string(why.message());
  const std::string line =
      absl::StrCat("a partition of ", session().nodes.size(),
                   " nodes stays with its baseline plan, which is slower: ",
                   report().reason);
  Warn({line});
}

void ExecutorSource::Stop() {
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

void ExecutorSource::AwaitCache() {
  if (background_ != nullptr &&
      !session().options.build.cache.directory.empty()) {
    background_->Wait();
  }
}

}  // namespace gles_delegate
