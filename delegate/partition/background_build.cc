#include "delegate/partition/background_build.h"

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <mutex>
#include <system_error>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "egl/of_process.h"

namespace gles_delegate {
namespace {

// The builds of this process that may have a thread.
class Builds {
 public:
  static Builds& Get() { return egl::OfProcess<Builds>(); }

  void Add(BackgroundBuild* build) {
    absl::MutexLock lock(&mutex_);
    builds_.insert(build);
    if (std::exchange(has_exit_handler_, true)) return;
    // A driver that is compiling when its own exit handlers run crashes. This
    // handler is younger than the driver's, and so runs before them.
    (void)std::atexit(BackgroundBuild::StopAll);
  }
  void Remove(BackgroundBuild* build) {
    absl::MutexLock lock(&mutex_);
    builds_.erase(build);
  }
  // Calls `function` for each, none of which goes meanwhile.
  template <typename Function>
  void ForEach(Function function) {
    absl::MutexLock lock(&mutex_);
    for (BackgroundBuild* build : builds_) function(build);
  }

 private:
  absl::Mutex mutex_;
  absl::flat_hash_set<BackgroundBuild*> builds_ ABSL_GUARDED_BY(mutex_);
  bool has_exit_handler_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace

BackgroundBuild::BackgroundBuild(BackgroundBuildInput input)
    : input_(std::move(input)), process_(getpid()) {}

absl::StatusOr<std::unique_ptr<BackgroundBuild>> BackgroundBuild::Start(
    BackgroundBuildInput input) {
  auto context = egl::Context::CreateSharing(*input.context, /*debug=*/false);
  if (!context.ok()) return context.status();
  std::unique_ptr<BackgroundBuild> build(new BackgroundBuild(std::move(input)));
  build->context_ = *std::move(context);
  BackgroundBuild* const self = build.get();
  try {
    build->thread_ = std::make_unique<std::thread>([self] { self->Work(); });
  } catch (const std::system_error& error) {
    return absl::ResourceExhaustedError(
        absl::StrCat("background_compilation: the system gives the delegate no "
                     "thread: ",
                     error.what()));
  }
  Builds::Get().Add(self);
  return build;
}

BackgroundBuild::~BackgroundBuild() {
  if (process_ != getpid()) {
    (void)thread_.release();
    (void)context_.release();
    if (result_.executor.ok()) (void)result_.executor->release();
    return;
  }
  Builds::Get().Remove(this);
  stop_ = true;
  Wait();
  // Where the context is lost, what is in it goes with it.
  (void)context_->Run([this] {
    if (result_.executor.ok()) result_.executor->reset();
    input_.objects.reset();
    return absl::OkStatus();
  });
}

void BackgroundBuild::Wait() {
  absl::MutexLock lock(&joining_);
  if (thread_ != nullptr && thread_->joinable()) thread_->join();
}

BackgroundBuild::Result BackgroundBuild::Take() {
  Wait();
  return std::exchange(result_,
                       {absl::CancelledError("the result was taken"), {}, {}});
}

void BackgroundBuild::StopAll() {
  Builds::Get().ForEach([](BackgroundBuild* build) { build->stop_ = true; });
  Builds::Get().ForEach([](BackgroundBuild* build) { build->Wait(); });
}

void BackgroundBuild::Work() {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  PartitionBuilder builder(*context_, input_.objects.get(), input_.profile,
                           std::move(input_.options), input_.nodes,
                           &result_.report);
  builder.Bind(std::move(input_.bound));
  const absl::Status ran = context_->Run([&]() -> absl::Status {
    SharedObjects& objects = *input_.objects;
    const std::lock_guard<std::mutex> lock(objects.building);
    if (stop_) return absl::CancelledError("the build was stopped");
    objects.programs.CompileInTurn(&stop_);
    result_.executor = builder.Build(*input_.graph, *input_.original);
    objects.programs.CompileInTurn(nullptr);
    objects.program_count = objects.programs.size();
    // What was made is whole before another context uses it.
    egl::gl().Finish();
    return absl::OkStatus();
  });
  if (!ran.ok()) result_.executor = ran;
  result_.warnings = builder.TakeWarnings();
  result_.ms =
      std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  is_done_ = true;
}

}  // namespace gles_delegate
