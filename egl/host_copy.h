// Copies between host tensors and mapped GPU memory, with several threads if
// they are large.
#ifndef GLES_DELEGATE_EGL_HOST_COPY_H_
#define GLES_DELEGATE_EGL_HOST_COPY_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "egl/objects.h"

namespace gles_delegate::egl {

// memcpy to memory that a device reads next, bypassing the CPU's caches if
// possible: a GPU that reads data over the bus from another core's cache waits
// for it.
void StreamCopy(void* to, const void* from, size_t bytes);

// A pool of threads for copies: one thread does not saturate the memory bus,
// and starting threads takes ten times as long as waking them. The first large
// copy starts them, and they live until the HostCopier is destroyed. Threads:
// one copy at a time, from any thread.
class HostCopier {
 public:
  HostCopier() = default;
  ~HostCopier();

  // Number of threads, the caller's included, for a copy: 1 below 1 MiB, at
  // most 8 and at most half of the machine's.
  static size_t ThreadsFor(size_t bytes);

  // memcpy with ThreadsFor(bytes) threads.
  void Copy(void* to, const void* from, size_t bytes) {
    CopyBy(ThreadsFor(bytes), to, from, bytes);
  }
  // memcpy with `threads` threads (at least 1), whatever the size.
  void CopyBy(size_t threads, void* to, const void* from, size_t bytes);

  // Copies in pieces, so that a piece can be used while later ones are copied.
  // `threads` threads, the caller's included, call copy(i) once for each i <
  // pieces. The caller's thread calls ready(i) for each i in order, after
  // copy(i).
  void InOrder(size_t threads, size_t pieces,
               absl::FunctionRef<void(size_t)> copy,
               absl::FunctionRef<void(size_t)> ready);

 private:
  struct Job;

  // Starts threads until there are `count`, or the system refuses.
  void StartThreads(size_t count);
  void Work();

  std::vector<std::thread> threads_;
  // Whether each piece of the current job is copied. Reused from job to job, so
  // that a copy does not allocate.
  std::unique_ptr<std::atomic<bool>[]> done_;
  size_t done_size_ = 0;
  absl::Mutex mutex_;
  absl::CondVar wake_;  // wanted_ or stop_ was raised
  absl::CondVar idle_;  // working_ has reached 0
  Job* job_ ABSL_GUARDED_BY(mutex_) = nullptr;
  size_t wanted_ ABSL_GUARDED_BY(mutex_) = 0;   // threads, for job_
  size_t working_ ABSL_GUARDED_BY(mutex_) = 0;  // on job_
  bool stop_ ABSL_GUARDED_BY(mutex_) = false;
};

// --- Large buffers in a GPU's own memory -------------------------------------

// Copies through mapped memory, a piece at a time: several threads fill a piece
// while the GPU copies the one before. glBufferData takes three times as long
// on NVIDIA's driver. Threads: inside the context's Run(), as for Buffer.
class StagedUpload {
 public:
  // Copies `data` to the beginning of `to`. Does not wait for the GPU, whose
  // later commands see the data. kUnimplemented if Buffer::CanBeMapped() is
  // false.
  absl::Status Fill(const Buffer& to, absl::Span<const uint8_t> data);

 private:
  static constexpr size_t kPieceBytes = 4 << 20;

  Buffer memory_;  // of two pieces, made by the first Fill()
  std::array<std::optional<Fence>, 2> copied_;  // from each piece
  HostCopier copier_;
  int next_ = 0;  // piece
};

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_EGL_HOST_COPY_H_
