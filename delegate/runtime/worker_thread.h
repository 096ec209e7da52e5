// A thread that serves calls in order, and starts the next one while the GPU
// works on the current one.
#ifndef GLES_DELEGATE_DELEGATE_RUNTIME_WORKER_THREAD_H_
#define GLES_DELEGATE_DELEGATE_RUNTIME_WORKER_THREAD_H_

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"

namespace gles_delegate {

// An EGLContext belongs to one thread at a time; a WorkerThread makes it usable
// from any. Functions run in the order of Run() calls from all threads. The
// thread starts with the first Run(), so that an object made before a fork
// works in the child. Run() does not allocate after the first call, unless more
// than 16 callers wait. Threads: Run() from any, concurrently, and from within
// a function that it runs. Destroy it when no Run() is active, on another
// thread, which waits for the worker.
class WorkerThread {
 public:
  WorkerThread() = default;
  ~WorkerThread();
  WorkerThread(const WorkerThread&) = delete;
  WorkerThread& operator=(const WorkerThread&) = delete;

  // Runs fn on the worker's thread and waits; directly if called on that
  // thread. The caller's writes are visible to fn and vice versa. Without
  // running fn: kFailedPrecondition in a child forked from the process that
  // started the thread; kResourceExhausted if the system cannot create a
  // thread.
  absl::Status Run(absl::FunctionRef<void()> fn);

  // Run() in two steps: `submit` passes work to the GPU, `wait` waits for it.
  // If `submit` returns true, the worker runs `wait` after the next call's
  // `submit`, if that has two steps as well, so that the GPU stays busy while
  // results and inputs are copied. At most kMaxSubmitted calls are between
  // their steps. They end in the order in which they were submitted, before a
  // later function of Run().
  absl::Status SubmitAndWait(absl::FunctionRef<bool()> submit,
                             absl::FunctionRef<void()> wait);
  // One call on the GPU and one behind it.
  static constexpr size_t kMaxSubmitted = 2;

  // How callers and the idle thread wait: waking a thread may take longer than
  // all else that a call costs.
  enum class Polling {
    kNever,    // they sleep
    kBriefly,  // for up to 1 and 0.2 ms, if their last wait was as short
    kFirst,    // for up to 2 ms, whatever the last wait was
  };
  // Sets the highest of all that were asked for. Begins with kNever.
  void AllowPolling(Polling polling);

  // Calls that wait for the thread or run on it.
  size_t calls() const { return calls_; }

  // False before the first Run().
  bool is_started() const { return started_by_ != 0; }

 private:
  // One call, on its caller's stack.
  struct Job {
    Job(absl::FunctionRef<bool()> s, absl::FunctionRef<void()> w, bool split)
        : submit(s), wait(w), is_split(split) {}
    absl::FunctionRef<bool()> submit;
    absl::FunctionRef<void()> wait;
    bool is_split;  // else `submit` is everything
    std::atomic<bool> is_done = false;
    absl::CondVar done;  // is_done was set
  };
  // In its own memory, so that Run() does not allocate.
  using Queue = absl::InlinedVector<Job*, 16>;

  // True in a forked child of the process that started the thread.
  bool IsForked() const;
  absl::Status RunJob(Job& job);
  absl::Status Start() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Work();
  // Whether the first waiting job may start, with `submitted` jobs between
  // their steps.
  bool MayStart(size_t submitted) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Finish(Job* job) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  using Clock = std::chrono::steady_clock;
  // Waits of one kind, which may poll for up to `limit`.
  struct Patience {
    Clock::duration limit;
    Clock::duration last{};  // wait
  };
  // Polls without the lock, then sleeps until is_true().
  void Await(absl::FunctionRef<bool()> is_true, absl::CondVar* signal,
             Patience* patience) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  mutable absl::Mutex mutex_;
  absl::CondVar wake_;  // a job waits, or stop_ has been set
  Queue waiting_ ABSL_GUARDED_BY(mutex_);
  Patience caller_ ABSL_GUARDED_BY(mutex_) = {std::chrono::milliseconds(2)};
  Patience idle_ ABSL_GUARDED_BY(mutex_) = {std::chrono::microseconds(200)};
  // Written under the lock, read without it by Await().
  std::atomic<size_t> calls_ = 0;
  std::atomic<bool> stop_ = false;
  std::atomic<Polling> polling_ = Polling::kNever;
  // A pointer, since a forked child can neither join nor detach a thread that
  // it does not have, and gives it up.
  std::unique_ptr<std::thread> thread_ ABSL_GUARDED_BY(mutex_);
  std::atomic<pid_t> started_by_ = 0;  // the process; 0: there is no thread
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_RUNTIME_WORKER_THREAD_H_
