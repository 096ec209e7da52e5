#include "delegate/session/gpu_queue.h"

#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "egl/context.h"

namespace gles_delegate {

absl::Status GpuQueue::CheckCaller() const {
  const egl::Context& context = *gpu_->context;
  // A borrowed context ties its user to the context, not to a thread; if it is
  // current nowhere, the thread that applied the delegate makes it current.
  const bool right_thread = thread_ == std::this_thread::get_id();
  if (context.owned()
          ? right_thread
          : right_thread || egl::CurrentContext() == context.handle()) {
    return absl::OkStatus();
  }
  const auto text = [](auto id) {
    std::ostringstream out;
    out << id;
    return out.str();
  };
  const std::string threads =
      absl::StrCat("on thread ", text(std::this_thread::get_id()),
                   "; the delegate was applied (ModifyGraphWithDelegate) on "
                   "thread ",
                   text(thread_));
  if (context.owned()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "GpuDelegate must run on the same thread where it was initialized: "
        "Invoke was called ",
        threads,
        ", with an EGLContext of its own. Call it there, or apply the delegate "
        "with the app's EGLContext current"));
  }
  return absl::FailedPreconditionError(
      absl::StrCat("Invoke was called with EGLContext ",
                   text(egl::CurrentContext()), " current, ", threads,
                   ", with the app's EGLContext ", text(context.handle()),
                   " current. Make that context current before Invoke"));
}

absl::Status GpuQueue::BeforeSubmit() {
  const Gpu& gpu = *gpu_;
  if (gpu.shared_with == EGL_NO_CONTEXT) return absl::OkStatus();
  if (!egl::Context::HasCurrent() ||
      egl::egl().GetCurrentDisplay() != gpu.context->display()) {
    if (!does_not_wait_) return absl::OkStatus();
    return absl::FailedPreconditionError(
        "wait_type: do_not_wait with thread_mode: worker_sharing wants a "
        "context of the delegate's EGLDisplay current on the thread that calls "
        "Invoke, whose later commands are to wait for the results; none is");
  }
  // Stores of the app's shaders become visible in other contexts after a
  // barrier. Another app's context may be older than OpenGL ES 3.1, and have
  // none.
  if (egl::CurrentContext() == gpu.shared_with) {
    egl::gl().MemoryBarrier(GL_ALL_BARRIER_BITS);
  }
  ASSIGN_OR_RETURN(callers_commands_,
                   egl::DisplayFence::Insert(gpu.context->display()));
  return absl::OkStatus();
}

absl::Status GpuQueue::AfterWait() {
  const egl::DisplayFence fence = std::move(own_commands_);
  return fence.WaitOnGpu();
}

absl::Status GpuQueue::AwaitCaller() {
  const egl::DisplayFence fence = std::move(callers_commands_);
  return fence.WaitOnGpu();
}

absl::Status GpuQueue::LetCallerAwait() {
  if (gpu_->shared_with == EGL_NO_CONTEXT || !does_not_wait_) {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(own_commands_,
                   egl::DisplayFence::Insert(gpu_->context->display()));
  return absl::OkStatus();
}

}  // namespace gles_delegate
