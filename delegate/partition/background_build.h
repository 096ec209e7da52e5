// Builds partitions on a background thread.
#ifndef GLES_DELEGATE_DELEGATE_PARTITION_BACKGROUND_BUILD_H_
#define GLES_DELEGATE_DELEGATE_PARTITION_BACKGROUND_BUILD_H_

#include <sys/types.h>

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

// The input of a build. Everything that it refers to must outlive the build and
// not change meanwhile.
struct BackgroundBuildInput {
  // Shared ownership: if the context is lost, the builder is the last owner.
  std::shared_ptr<SharedObjects> objects;
  DeviceProfile profile;
  BuildOptions options;
  std::vector<int> nodes;
  const Graph* graph;  // as PartitionBuilder::Build() takes them
  const Graph* original;
  BoundTransfers bound;
};

// A thread with its own context, which shares objects with the context that
// partitions run in; it builds partitions in order of submission. Compiles
// programs one at a time (ProgramCache::CompileInTurn), with
// SharedObjects::building held, since drivers block other threads' GL calls
// while compiling (docs/cold_start.md). Threads: any. Only the thread uses the
// context, which must outlive the other one (Gpu): NVIDIA's driver (580)
// crashes in glDeleteBuffers of a context after one that shares objects with it
// was destroyed. A process that exits waits for the program being compiled;
// nothing is built after that.
class BackgroundThread {
 public:
  // Starts the thread. kResourceExhausted: the system cannot create one.
  // Otherwise the errors of making a context that shares objects with
  // `context`.
  static absl::StatusOr<std::shared_ptr<BackgroundThread>> Start(
      const egl::Context& context);
  // Stops building and waits for the program being compiled, except in a forked
  // child.
  ~BackgroundThread();
  BackgroundThread(const BackgroundThread&) = delete;
  BackgroundThread& operator=(const BackgroundThread&) = delete;

 private:
  friend class BackgroundBuild;
  struct Job;

  BackgroundThread() = default;
  // Makes all such threads of this process stop building, as exit() does.
  static void CloseAll();
  void Close();
  // Waits until the job is done or can no longer start.
  void AwaitEnd(const Job& job);
  // Stops compiling for the job, and makes the thread delete its results when
  // it is idle.
  void Drop(const std::shared_ptr<Job>& job);
  // The first that may start, or the end.
  std::deque<std::shared_ptr<Job>>::iterator NextJob()
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Work();
  void Build(Job* job);

  std::unique_ptr<egl::Context> context_;
  const pid_t process_ = getpid();
  absl::Mutex mutex_;
  absl::CondVar changed_;  // what mutex_ guards
  std::deque<std::shared_ptr<Job>> jobs_ ABSL_GUARDED_BY(mutex_);
  Job* running_ ABSL_GUARDED_BY(mutex_) = nullptr;
  bool is_closed_ ABSL_GUARDED_BY(mutex_) = false;  // no more jobs start
  bool ends_ ABSL_GUARDED_BY(mutex_) = false;
  // A pointer, since a forked child can neither join nor detach a thread that
  // it does not have, and gives it up.
  std::unique_ptr<std::thread> thread_;
};

// One PartitionBuilder::Build() on such a thread. Threads: one at a time.
class BackgroundBuild {
 public:
  struct Result {
    // Still in the thread's context: use Executor::MoveTo().
    absl::StatusOr<std::unique_ptr<Executor>> executor =
        absl::CancelledError("the build was stopped");
    BuildReport report;
    std::vector<std::string> warnings;  // PartitionBuilder::TakeWarnings()
    double ms = 0;
  };

  BackgroundBuild(std::shared_ptr<BackgroundThread> thread,
                  BackgroundBuildInput input);
  // Stops compiling, and waits for the program being compiled.
  ~BackgroundBuild();
  BackgroundBuild(const BackgroundBuild&) = delete;
  BackgroundBuild& operator=(const BackgroundBuild&) = delete;

  bool IsDone() const;
  // Waits until IsDone() or the process exits.
  void Wait() const;
  // Call once, after IsDone().
  Result Take();

 private:
  std::shared_ptr<BackgroundThread> thread_;
  std::shared_ptr<BackgroundThread::Job> job_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PARTITION_BACKGROUND_BUILD_H_
