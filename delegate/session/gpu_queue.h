// On which threads a session works, and how its commands are ordered with the
// caller's.
#ifndef GLES_DELEGATE_DELEGATE_SESSION_GPU_QUEUE_H_
#define GLES_DELEGATE_DELEGATE_SESSION_GPU_QUEUE_H_

#include <memory>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "delegate/session/gpu.h"
#include "egl/display_fence.h"

namespace gles_delegate {

// Three ways, of which the Gpu has one:
//   its own context        one thread: the one that prepared the session
//   the app's context      any thread on which that context is current
//   a worker's context     the worker's thread; if it shares objects with the
//                          app's context, fences order the two on the GPU
// Threads: BeforeSubmit() and AfterWait() on the thread that calls Invoke, the
// others on the one that works for it.
class GpuQueue {
 public:
  // `does_not_wait`: Invoke returns before the GPU has finished.
  GpuQueue(std::shared_ptr<Gpu> gpu, bool does_not_wait)
      : gpu_(std::move(gpu)), does_not_wait_(does_not_wait) {}

  // This thread prepares the session.
  void TakeThread() { thread_ = std::this_thread::get_id(); }
  // kFailedPrecondition, with threads and contexts: for the delegate's own
  // context, on another thread than TakeThread()'s; for an app's, if another
  // one is current on another thread.
  absl::Status CheckCaller() const;

  // With a worker that shares objects: the worker's commands of the next
  // inference wait for the caller's earlier ones. kFailedPrecondition: Invoke
  // does not wait, and no context is current here that could.
  absl::Status BeforeSubmit();
  // The caller's later commands wait for the worker's, if Invoke did not wait.
  absl::Status AfterWait();

  // Within the context, before and after an inference's commands: the worker's
  // side of BeforeSubmit() and AfterWait().
  absl::Status AwaitCaller();
  absl::Status LetCallerAwait();

 private:
  std::shared_ptr<Gpu> gpu_;
  bool does_not_wait_;
  std::thread::id thread_;
  // Of the current inference.
  egl::DisplayFence callers_commands_, own_commands_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_SESSION_GPU_QUEUE_H_
