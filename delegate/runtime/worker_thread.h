// A thread that does what others ask of it, one thing after the other; while
// the GPU works for one of them, it begins the next.
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

  // As Run(), of a function in two halves, for what begins with giving the GPU
  // work and ends with waiting for it. Where `first` gives true, `second` is
  // due: the worker runs it once it has begun what is next in the queue, where
  // that was given in halves, too. So the GPU has work while one caller's
  // results are copied and another's inputs are brought. At most kMostBegun
  // calls are between their halves. They end in the order in which they began,
  // before a function of Run() that came after them.
  absl::Status RunInHalves(absl::FunctionRef<bool()> first,
                           absl::FunctionRef<void()> second);
  // One call on the GPU and one behind it.
  static constexpr int kMostBegun = 2;

  // Calls that wait for the thread or are on it.
  size_t calls() const;

  // False before the first Run().
  bool is_started() const { return started_by_ != 0; }

 private:
  // One call, on its caller's stack.
  struct Job {
    Job(absl::FunctionRef<bool()> f, absl::FunctionRef<void()> s, bool halves)
        : first(f), second(s), has_halves(halves) {}
    absl::FunctionRef<bool()> first;
    absl::FunctionRef<void()> second;
    bool has_halves;  // else `first` is all of it
    Job* next = nullptr;
    bool is_done = false;
    absl::CondVar done;  // is_done has become true
  };
  class Queue {
   public:
    Job* front() const { return first_; }
    int size() const { return size_; }
    void Push(Job* job);
    Job* Pop();

   private:
    Job* first_ = nullptr;
    Job* last_ = nullptr;
    int size_ = 0;
  };

  // True in a child of the process that started the thread.
  bool IsForked() const;
  absl::Status RunJob(Job& job);
  absl::Status Start() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Work();
  // Whether the first job that waits may begin, while `begun` jobs are between
  // their halves.
  bool MayBegin(int begun) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Finish(Job* job) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  mutable absl::Mutex mutex_;
  absl::CondVar wake_;  // a job waits, or stop_ has been set
  Queue waiting_ ABSL_GUARDED_BY(mutex_);
  size_t calls_ ABSL_GUARDED_BY(mutex_) = 0;
  bool stop_ ABSL_GUARDED_BY(mutex_) = false;
  // By pointer: a forked child gives it up, as it can neither join nor detach
  // a thread that it does not have.
  std::unique_ptr<std::thread> thread_ ABSL_GUARDED_BY(mutex_);
  std::atomic<pid_t> started_by_ = 0;  // the process; 0: there is no thread
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_RUNTIME_WORKER_THREAD_H_
