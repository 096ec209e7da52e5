// A partition that is built while something else runs in its place.
#ifndef GLES_DELEGATE_DELEGATE_PARTITION_BACKGROUND_BUILD_H_
#define GLES_DELEGATE_DELEGATE_PARTITION_BACKGROUND_BUILD_H_

#include <sys/types.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "delegate/partition/partition_builder.h"
#include "delegate/partition/partition_report.h"

namespace gles_delegate {

// What is built, and for which context. What it points to must outlive the
// build, and stay as it is meanwhile.
struct BackgroundBuildInput {
  const egl::Context* context;  // that the executor will run in
  // Owned with others: where the context is lost, who builds is the last one.
  std::shared_ptr<SharedObjects> objects;
  DeviceProfile profile;
  BuildOptions options;
  std::vector<int> nodes;
  const Graph* graph;  // as PartitionBuilder::Build() takes them
  const Graph* original;
  BoundTransfers bound;
};

// One PartitionBuilder::Build() on a thread of its own, in a context of its own
// that shares objects with the partition's. Programs are compiled in turn
// (ProgramCache::CompileInTurn), and SharedObjects::building is held, so that
// builds of several partitions follow one another.
// Drivers hold up the GL calls of other threads while they compile: on an H100
// (driver 580) up to 90 ms for each program, half of the time of the build
// (docs/cold_start.md).
// Threads: all functions but StopAll() on one thread at a time. A process that
// exits first waits for the program that is being compiled in each of its
// builds, and no build goes on after that.
class BackgroundBuild {
 public:
  struct Result {
    // Of the thread's context still: Executor::MoveTo() the partition's.
    absl::StatusOr<std::unique_ptr<Executor>> executor;
    BuildReport report;
    std::vector<std::string> warnings;  // PartitionBuilder::TakeWarnings()
    double ms = 0;
  };

  // Starts the thread. kResourceExhausted: the system gives none. Else what
  // making a context that shares objects gives.
  static absl::StatusOr<std::unique_ptr<BackgroundBuild>> Start(
      BackgroundBuildInput input);
  // Builds no program more, and waits for the one that is being compiled. In a
  // child that was forked meanwhile there is nothing to wait for.
  ~BackgroundBuild();
  BackgroundBuild(const BackgroundBuild&) = delete;
  BackgroundBuild& operator=(const BackgroundBuild&) = delete;

  bool IsDone() const { return is_done_; }
  // Waits until IsDone().
  void Wait();
  // Once IsDone(); one time.
  Result Take();

  // Has every build of this process end, as its exit does.
  static void StopAll();

 private:
  explicit BackgroundBuild(BackgroundBuildInput input);
  void Work();

  BackgroundBuildInput input_;
  std::unique_ptr<egl::Context> context_;
  // By pointer: a forked child gives it up, as it can neither join nor detach a
  // thread that it does not have.
  std::unique_ptr<std::thread> thread_;
  absl::Mutex joining_;
  const pid_t process_;
  std::atomic<bool> stop_ = false;
  std::atomic<bool> is_done_ = false;
  Result result_ = {absl::CancelledError("the build was stopped"), {}, {}};
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PARTITION_BACKGROUND_BUILD_H_
