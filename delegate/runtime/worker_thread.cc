#include "delegate/runtime/worker_thread.h"

#include <unistd.h>

#include <system_error>

#include "absl/strings/str_cat.h"

namespace gles_delegate {
namespace {

// The worker whose thread this is.
thread_local const WorkerThread* t_worker = nullptr;

}  // namespace

bool WorkerThread::IsForked() const {
  const pid_t process = started_by_.load(std::memory_order_acquire);
  return process != 0 && process != getpid();
}

WorkerThread::~WorkerThread() {
  if (IsForked()) {
    // The lock may have been held by a thread that this process does not have:
    // it is not taken, nor is the thread waited for.
    [this]() ABSL_NO_THREAD_SAFETY_ANALYSIS { (void)thread_.release(); }();
    return;
  }
  std::unique_ptr<std::thread> thread;
  {
    absl::MutexLock lock(&mutex_);
    stop_ = true;
    wake_.Signal();
    thread = std::move(thread_);
  }
  if (thread != nullptr) thread->join();
}

absl::Status WorkerThread::Start() {
  if (thread_ != nullptr) return absl::OkStatus();
  try {
    thread_ = std::make_unique<std::thread>([this] { Work(); });
  } catch (const std::system_error& error) {
    return absl::ResourceExhaustedError(
        absl::StrCat("thread_mode: worker: the system gives the delegate no "
                     "thread: ",
                     error.what()));
  }
  started_by_.store(getpid(), std::memory_order_release);
  return absl::OkStatus();
}

absl::Status WorkerThread::Run(absl::FunctionRef<void()> fn) {
  if (IsForked()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "thread_mode: worker: the delegate's thread and its EGLContext are of "
        "process ",
        started_by_.load(std::memory_order_relaxed), ", and this is process ",
        getpid(),
        ", which was forked from it. Make a delegate and an interpreter in "
        "this process, or fork before the delegate is applied"));
  }
  if (t_worker == this) {
    fn();
    return absl::OkStatus();
  }
  Job job(fn);
  absl::MutexLock lock(&mutex_);
  if (absl::Status status = Start(); !status.ok()) return status;
  (first_ == nullptr ? first_ : last_->next) = &job;
  last_ = &job;
  ++calls_;
  wake_.Signal();
  while (!job.is_done) job.done.Wait(&mutex_);
  return absl::OkStatus();
}

size_t WorkerThread::calls() const {
  absl::MutexLock lock(&mutex_);
  return calls_;
}

void WorkerThread::Work() {
  t_worker = this;
  absl::MutexLock lock(&mutex_);
  while (true) {
    while (first_ == nullptr && !stop_) wake_.Wait(&mutex_);
    if (first_ == nullptr) return;
    Job* const job = first_;
    first_ = job->next;
    mutex_.Unlock();
    job->fn();
    mutex_.Lock();
    job->is_done = true;
    --calls_;
    // Under the lock: the job is gone once its caller has the lock.
    job->done.Signal();
  }
}

}  // namespace gles_delegate
