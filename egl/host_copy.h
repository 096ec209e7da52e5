// Copies between host tensors and mapped GPU memory, shared by threads where
// they are large.
#ifndef GLES_DELEGATE_EGL_HOST_COPY_H_
#define GLES_DELEGATE_EGL_HOST_COPY_H_

#include <atomic>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/synchronization/mutex.h"

namespace gles_delegate::egl {

// memcpy to memory that a device reads next: around the processor's caches
// where it can. A GPU that reads over the bus what lies in the caches of other
// cores waits for them.
void StreamCopy(void* to, const void* from, size_t bytes);

// Threads that wait for copies. On an H200's host one thread moves 17 GB/s and
// eight threads move 80 GB/s; starting eight threads takes 100 us, waking them
// a tenth of that. The first copy that is large
// enough starts the threads, and they stay until the HostCopier is destroyed.
// Threads: one copy at a time, from any thread.
class HostCopier {
 public:
  HostCopier() = default;
  ~HostCopier();
  HostCopier(const HostCopier&) = delete;
  HostCopier& operator=(const HostCopier&) = delete;

  // How many threads, the caller's among them, share a copy: one below 1 MiB,
  // at most 8 and at most half of the machine's.
  static size_t ThreadsFor(size_t bytes);

  // memcpy.
  void Copy(void* to, const void* from, size_t bytes) {
    CopyBy(ThreadsFor(bytes), to, from, bytes);
  }
  // By so many threads (1 or more), whatever the size.
  void CopyBy(size_t threads, void* to, const void* from, size_t bytes);

  // Copies in pieces, so that a piece is used while later pieces are copied.
  // `threads` threads, the caller's among them, call copy(i) once for each
  // i < pieces. The caller's thread calls ready(i) for each i, in order, once
  // copy(i) is done.
  void InOrder(size_t threads, size_t pieces,
               absl::FunctionRef<void(size_t)> copy,
               absl::FunctionRef<void(size_t)> ready);

 private:
  struct Job;

  // Starts threads until there are `count`, or the system gives no more.
  void StartThreads(size_t count);
  void Work();

  std::vector<std::thread> threads_;
  // Whether each piece of the job under way is copied. The array is kept from
  // job to job, so that a copy allocates nothing.
  std::unique_ptr<std::atomic<bool>[]> done_;
  size_t done_size_ = 0;
  absl::Mutex mutex_;
  absl::CondVar wake_;  // wanted_ or stop_ has risen
  absl::CondVar idle_;  // working_ has sunk to 0
  Job* job_ ABSL_GUARDED_BY(mutex_) = nullptr;
  size_t wanted_ ABSL_GUARDED_BY(mutex_) = 0;   // threads, for job_
  size_t working_ ABSL_GUARDED_BY(mutex_) = 0;  // on job_
  bool stop_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_EGL_HOST_COPY_H_
