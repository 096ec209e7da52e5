#include "delegate/runtime/worker_thread.h"

#include <unistd.h>

#include <algorithm>
#include <exception>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "egl/gl_api.h"

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
  } catch (const std::exception& error) {
    return absl::ResourceExhaustedError(
        absl::StrCat("thread_mode: worker: the system gives the delegate no "
                     "thread: ",
                     error.what()));
  }
  started_by_.store(getpid(), std::memory_order_release);
  return absl::OkStatus();
}

absl::Status WorkerThread::Run(absl::FunctionRef<void()> fn) {
  const auto whole = [fn] {
    fn();
    return false;
  };
  Job job(whole, fn, /*split=*/false);
  return RunJob(job);
}

absl::Status WorkerThread::SubmitAndWait(absl::FunctionRef<bool()> submit,
                                         absl::FunctionRef<void()> wait) {
  Job job(submit, wait, /*split=*/true);
  return RunJob(job);
}

absl::Status WorkerThread::RunJob(Job& job) {
  if (IsForked()) {
    return egl::CheckNotForked(started_by_, "thread_mode: worker: the thread");
  }
  if (t_worker == this) {
    if (job.submit()) job.wait();
    return absl::OkStatus();
  }
  absl::MutexLock lock(&mutex_);
  RETURN_IF_ERROR(Start());
  waiting_.push_back(&job);
  ++calls_;
  wake_.Signal();
  Await([&job] { return job.is_done.load(); }, &job.done, &caller_);
  return absl::OkStatus();
}

void WorkerThread::AllowPolling(Polling polling) {
  absl::MutexLock lock(&mutex_);
  polling_ = std::max(polling_.load(), polling);
}

void WorkerThread::Await(absl::FunctionRef<bool()> is_true,
                         absl::CondVar* signal, Patience* patience) {
  const auto begin = Clock::now();
  const Polling polling = polling_;
  Clock::duration limit{};
  if (polling == Polling::kFirst) {
    limit = std::chrono::milliseconds(2);
  } else if (polling == Polling::kBriefly &&
             patience->last <= patience->limit) {
    limit = patience->limit;
  }
  if (limit > Clock::duration(0)) {
    mutex_.Unlock();
    while (!is_true() && Clock::now() - begin < limit) {
      std::this_thread::yield();
    }
    mutex_.Lock();
  }
  while (!is_true()) signal->Wait(&mutex_);
  patience->last = Clock::now() - begin;
}

bool WorkerThread::MayStart(size_t submitted) const {
  return !waiting_.empty() && (submitted == 0 || (waiting_.front()->is_split &&
                                                  submitted < kMaxSubmitted));
}

void WorkerThread::Finish(Job* job) {
  job->is_done = true;
  --calls_;
  // Under the lock: the caller destroys the job once it has the lock.
  job->done.Signal();
}

void WorkerThread::Work() {
  t_worker = this;
  Queue submitted;
  const auto take_first = [](Queue* jobs) {
    Job* const job = jobs->front();
    jobs->erase(jobs->begin());
    return job;
  };
  absl::MutexLock lock(&mutex_);
  while (true) {
    if (submitted.empty()) {
      Await([this] { return calls_ > 0 || stop_; }, &wake_, &idle_);
    }
    if (MayStart(submitted.size())) {
      Job* const job = take_first(&waiting_);
      mutex_.Unlock();
      const bool must_wait = job->submit();
      mutex_.Lock();
      if (must_wait) {
        submitted.push_back(job);
      } else {
        Finish(job);
      }
    } else if (!submitted.empty()) {
      Job* const job = take_first(&submitted);
      mutex_.Unlock();
      job->wait();
      mutex_.Lock();
      Finish(job);
    } else {
      return;
    }
  }
}

}  // namespace gles_delegate
