#include "delegate/partition/background_build.h"

#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <mutex>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "base/hash_tables.h"
#include "base/status_macros.h"
#include "egl/process.h"

namespace gles_delegate {

// A build, as the thread knows it.
struct BackgroundThread::Job {
  // kWaiting: for the thread, or for its end. kDropped: the result is not
  // needed any more.
  enum State { kWaiting, kDone, kDropped };

  BackgroundBuildInput input;
  std::atomic<bool> stop = false;
  std::atomic<int> state = kWaiting;  // changed under the thread's mutex
  // The thread's before kDone and from kDropped on.
  BackgroundBuild::Result result;
};

namespace {

// The threads of this process.
struct Threads {
  absl::Mutex mutex;
  HashSet<BackgroundThread*> all ABSL_GUARDED_BY(mutex);
  bool has_exit_handler ABSL_GUARDED_BY(mutex) = false;
};

}  // namespace

absl::StatusOr<std::shared_ptr<BackgroundThread>> BackgroundThread::Start(
    const egl::Context& context) {
  ASSIGN_OR_RETURN(auto sharing, egl::Context::CreateSharing(context));
  std::shared_ptr<BackgroundThread> thread(new BackgroundThread);
  thread->context_ = std::move(sharing);
  BackgroundThread* const self = thread.get();
  try {
    thread->thread_ = std::make_unique<std::thread>([self] { self->Work(); });
  } catch (const std::exception& error) {
    return absl::ResourceExhaustedError(
        absl::StrCat("startup: the system gives the delegate no "
                     "thread: ",
                     error.what()));
  }
  Threads& threads = egl::OfProcess<Threads>();
  absl::MutexLock lock(&threads.mutex);
  threads.all.insert(self);
  // A driver that is compiling when its own exit handlers run crashes. This
  // handler is younger than the driver's, and so runs before them.
  if (!std::exchange(threads.has_exit_handler, true)) {
    (void)std::atexit(CloseAll);
  }
  return thread;
}

BackgroundThread::~BackgroundThread() {
  if (process_ != getpid()) {
    (void)thread_.release();
    (void)context_.release();
    return;
  }
  {
    Threads& threads = egl::OfProcess<Threads>();
    absl::MutexLock lock(&threads.mutex);
    threads.all.erase(this);
  }
  Close();
  {
    absl::MutexLock lock(&mutex_);
    ends_ = true;
    changed_.SignalAll();
  }
  if (thread_ != nullptr) thread_->join();
}

void BackgroundThread::CloseAll() {
  Threads& threads = egl::OfProcess<Threads>();
  absl::MutexLock lock(&threads.mutex);  // keeps them alive
  for (BackgroundThread* thread : threads.all) thread->Close();
}

void BackgroundThread::Close() {
  absl::MutexLock lock(&mutex_);
  is_closed_ = true;
  if (running_ != nullptr) running_->stop = true;
  changed_.SignalAll();
  while (running_ != nullptr) changed_.Wait(&mutex_);
}

void BackgroundThread::AwaitEnd(const Job& job) {
  absl::MutexLock lock(&mutex_);
  while (job.state == Job::kWaiting && !(is_closed_ && running_ != &job)) {
    changed_.Wait(&mutex_);
  }
}

void BackgroundThread::Drop(const std::shared_ptr<Job>& job) {
  if (process_ != getpid()) return;  // the thread and its lock are the parent's
  {
    absl::MutexLock lock(&mutex_);
    job->stop = true;
    const auto waiting = absl::c_find(jobs_, job);
    if (waiting != jobs_.end()) {
      jobs_.erase(waiting);
      return;
    }
  }
  AwaitEnd(*job);
  absl::MutexLock lock(&mutex_);
  if (!job->result.executor.ok() || *job->result.executor == nullptr) return;
  job->state = Job::kDropped;
  jobs_.push_back(job);
  changed_.SignalAll();
}

std::deque<std::shared_ptr<BackgroundThread::Job>>::iterator
BackgroundThread::NextJob() {
  return absl::c_find_if(jobs_, [&](const auto& job) {
    return !is_closed_ || job->state == Job::kDropped;
  });
}

void BackgroundThread::Work() {
  while (true) {
    std::shared_ptr<Job> job;
    {
      absl::MutexLock lock(&mutex_);
      while (!ends_ && NextJob() == jobs_.end()) changed_.Wait(&mutex_);
      const auto next = NextJob();
      if (next == jobs_.end()) break;
      job = *next;
      jobs_.erase(next);
      running_ = job.get();
    }
    const bool is_dropped = job->state == Job::kDropped;
    if (is_dropped) {
      // If the context is lost, its objects are as well.
      (void)context_->Run([&job] {
        job->result.executor = absl::CancelledError("it is not needed");
        return absl::OkStatus();
      });
    } else {
      absl::Status built = egl::Caught([&] {
        Build(job.get());
        return absl::OkStatus();
      });
      if (!built.ok()) job->result.executor = std::move(built);
    }
    absl::MutexLock lock(&mutex_);
    if (!is_dropped) job->state = Job::kDone;
    running_ = nullptr;
    changed_.SignalAll();
  }
  context_.reset();
}

void BackgroundThread::Build(Job* job) {
  const double start = NowUs();
  BackgroundBuild::Result& result = job->result;
  const absl::Status ran = context_->Run([&]() -> absl::Status {
    // Released in the context: this thread may have the job for longer than
    // anyone else has the objects.
    const auto shared = std::move(job->input.objects);
    SharedObjects& objects = *shared;
    PartitionBuilder builder(*context_, &objects, job->input.profile,
                             std::move(job->input.options), job->input.nodes,
                             &result.report);
    builder.Bind(std::move(job->input.bound));
    const std::lock_guard<std::mutex> lock(objects.building);
    if (job->stop) return absl::CancelledError("the build was stopped");
    objects.programs.CompileInTurn(&job->stop);
    result.executor = builder.Build(*job->input.graph, *job->input.original);
    objects.programs.CompileInTurn(nullptr);
    objects.program_count = objects.programs.size();
    result.warnings = builder.TakeWarnings();
    // Objects must be complete before another context uses them.
    egl::gl().Finish();
    return absl::OkStatus();
  });
  if (!ran.ok()) result.executor = ran;
  result.ms = (NowUs() - start) / 1000;
}

BackgroundBuild::BackgroundBuild(std::shared_ptr<BackgroundThread> thread,
                                 BackgroundBuildInput input)
    : thread_(std::move(thread)),
      job_(std::make_shared<BackgroundThread::Job>()) {
  job_->input = std::move(input);
  absl::MutexLock lock(&thread_->mutex_);
  thread_->jobs_.push_back(job_);
  thread_->changed_.SignalAll();
}

BackgroundBuild::~BackgroundBuild() { thread_->Drop(job_); }

bool BackgroundBuild::IsDone() const {
  return job_->state == BackgroundThread::Job::kDone;
}

void BackgroundBuild::Wait() const { thread_->AwaitEnd(*job_); }

BackgroundBuild::Result BackgroundBuild::Take() {
  return std::exchange(job_->result, Result());
}

}  // namespace gles_delegate
