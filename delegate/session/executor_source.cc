#include "delegate/session/executor_source.h"

#include <mutex>

#include "delegate/session/tiered_source.h"
#include "egl/gl_api.h"

namespace gles_delegate {
namespace {

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
