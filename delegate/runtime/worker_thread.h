// A thread that does what others ask of it, one thing after the other.
#ifndef GLES_DELEGATE_DELEGATE_RUNTIME_WORKER_THREAD_H_
#define GLES_DELEGATE_DELEGATE_RUNTIME_WORKER_THREAD_H_

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"

namespace gles_delegate {

// An EGLContext belongs to one thread at a time; with a WorkerThread in front
// of it the context is used from any. Functions run in the order in which Run()
// was called, whoever called it, so that no caller waits for another's second
// function. The thread is started by the first Run(), so that an object which
// was made before a fork works in the child. Run() takes nothing from the heap
// after the first.
// Threads: Run() from any, from many at once, and from within a function that
// Run() runs. Destruction once no Run() is under way, and on another thread
// than the worker's own, which it waits for.
class WorkerThread {
 public:
  WorkerThread() = default;
  ~WorkerThread();
  WorkerThread(const WorkerThread&) = delete;
  WorkerThread& operator=(const WorkerThread&) = delete;

  // Runs fn on the worker's thread and waits for it; at once where the caller
  // is that thread. What the caller wrote before the call fn sees, and what fn
  // wrote the caller sees afterwards.
  // kFailedPrecondition: this process was forked from the one that started the
  // thread, and has no such thread: fn does not run. kResourceExhausted: the
  // system gives no thread: fn does not run.
  absl::Status Run(absl::FunctionRef<void()> fn);

  // Calls of Run() that wait for the thread or are on it.
  size_t calls() const;

  // False before the first Run().
  bool is_started() const { return started_by_ != 0; }

 private:
  // One call of Run(), on its caller's stack.
  struct Job {
    explicit Job(absl::FunctionRef<void()> f) : fn(f) {}
    absl::FunctionRef<void()> fn;
    Job* next = nullptr;
    bool is_done = false;
    absl::CondVar done;  // is_done has become true
  };

  // True in a child of the process that started the thread.
  bool IsForked() const;
  absl::Status Start() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Work();

  mutable absl::Mutex mutex_;
  absl::CondVar wake_;  // first_ or stop_ has been set
  // The queue.
  Job* first_ ABSL_GUARDED_BY(mutex_) = nullptr;
  Job* last_ ABSL_GUARDED_BY(mutex_) = nullptr;
  size_t calls_ ABSL_GUARDED_BY(mutex_) = 0;
  bool stop_ ABSL_GUARDED_BY(mutex_) = false;
  // By pointer: a forked child gives it up, as it can neither join nor detach
  // a thread that it does not have.
  std::unique_ptr<std::thread> thread_ ABSL_GUARDED_BY(mutex_);
  std::atomic<pid_t> started_by_ = 0;  // the process; 0: there is no thread
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_RUNTIME_WORKER_THREAD_H_
