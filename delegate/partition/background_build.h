// Partitions that are built while something else runs in their place.
#ifndef GLES_DELEGATE_DELEGATE_PARTITION_BACKGROUND_BUILD_H_
#define GLES_DELEGATE_DELEGATE_PARTITION_BACKGROUND_BUILD_H_

#include <sys/types.h>

#include <atomic>
#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "delegate/partition/partition_builder.h"
#include "delegate/partition/partition_report.h"

namespace gles_delegate {

// What is built. What it points to must outlive the build, and stay as it is
// meanwhile.
struct BackgroundBuildInput {
  // Owned with others: where the context is lost, who builds is the last one.
  std::shared_ptr<SharedObjects> objects;
  DeviceProfile profile;
  BuildOptions options;
  std::vector<int> nodes;
  const Graph* graph;  // as PartitionBuilder::Build() takes them
  const Graph* original;
  BoundTransfers bound;
};

// A thread with a context of its own, which shares objects with the one that
// partitions run in; it builds them in the order in which they are given.
// Programs are compiled in turn (ProgramCache::CompileInTurn), with
// SharedObjects::building held. Drivers hold up the GL calls of other threads
// while they compile (docs/cold_start.md).
// Threads: any. The context is used on the thread alone, and outlives the other
// one (Gpu): NVIDIA's driver (580) crashes in some glDeleteBuffers of a context
// after one that shares objects with it was destroyed. A process that exits
// waits for the program that is being compiled, and nothing is built after
// that.
class BackgroundThread {
 public:
  // Starts the thread. kResourceExhausted: the system gives none. Else what
  // making a context that shares objects with `context` gives.
  static absl::StatusOr<std::shared_ptr<BackgroundThread>> Start(
      const egl::Context& context);
  // Builds nothing more, and waits for the program that is being compiled. In a
  // child that was forked meanwhile there is nothing to wait for.
  ~BackgroundThread();
  BackgroundThread(const BackgroundThread&) = delete;
  BackgroundThread& operator=(const BackgroundThread&) = delete;

 private:
  friend class BackgroundBuild;
  struct Job;

  BackgroundThread() = default;
  // Has every such thread of this process build nothing more, as exit() does.
  static void CloseAll();
  void Close();
  void Add(const std::shared_ptr<Job>& job);
  // Waits until the job is done, or is known never to begin.
  void AwaitEnd(const Job& job);
  // Builds no program more for it, and has the thread delete what was built
  // when it next has time.
  void Drop(const std::shared_ptr<Job>& job);
  bool HasWork() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Work();
  void Build(Job* job);

  std::unique_ptr<egl::Context> context_;
  const pid_t process_ = getpid();
  absl::Mutex mutex_;
  absl::CondVar changed_;  // what mutex_ guards
  std::deque<std::shared_ptr<Job>> jobs_ ABSL_GUARDED_BY(mutex_);
  Job* running_ ABSL_GUARDED_BY(mutex_) = nullptr;
  bool is_closed_ ABSL_GUARDED_BY(mutex_) = false;  // no job begins any more
  bool ends_ ABSL_GUARDED_BY(mutex_) = false;
  // By pointer: a forked child gives it up, as it can neither join nor detach a
  // thread that it does not have.
  std::unique_ptr<std::thread> thread_;
};

// One PartitionBuilder::Build() on such a thread.
// Threads: one at a time.
class BackgroundBuild {
 public:
  struct Result {
    // Of the thread's context still: Executor::MoveTo() the partition's.
    absl::StatusOr<std::unique_ptr<Executor>> executor =
        absl::CancelledError("the build was stopped");
    BuildReport report;
    std::vector<std::string> warnings;  // PartitionBuilder::TakeWarnings()
    double ms = 0;
  };

  BackgroundBuild(std::shared_ptr<BackgroundThread> thread,
                  BackgroundBuildInput input);
  // Builds no program more, and waits for the one that is being compiled.
  ~BackgroundBuild();
  BackgroundBuild(const BackgroundBuild&) = delete;
  BackgroundBuild& operator=(const BackgroundBuild&) = delete;

  bool IsDone() const;
  // Waits until IsDone(), or until the process exits.
  void Wait() const;
  // Once IsDone(); one time.
  Result Take();

 private:
  std::shared_ptr<BackgroundThread> thread_;
  std::shared_ptr<BackgroundThread::Job> job_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PARTITION_BACKGROUND_BUILD_H_
