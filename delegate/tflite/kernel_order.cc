// The part of GlesKernel that orders commands of the app's context and of a
// worker's context that shares objects with it, on the GPU.
#include <utility>

#include "delegate/tflite/kernel.h"

namespace gles_delegate {

absl::Status GlesKernel::BeforeEvalOnWorker() {
  const Gpu& gpu = *setup_.gpu;
  if (gpu.shared_with == EGL_NO_CONTEXT) return absl::OkStatus();
  if (!egl::Context::HasCurrent() ||
      egl::egl().GetCurrentDisplay() != gpu.context->display()) {
    if (!setup_.options.does_not_wait) return absl::OkStatus();
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
  auto fence = egl::DisplayFence::Insert(gpu.context->display());
  if (!fence.ok()) return fence.status();
  callers_commands_ = *std::move(fence);
  return absl::OkStatus();
}

absl::Status GlesKernel::AfterEvalOnWorker() {
  const egl::DisplayFence fence = std::move(own_commands_);
  return fence.WaitOnGpu();
}

absl::Status GlesKernel::AwaitCaller() {
  const egl::DisplayFence fence = std::move(callers_commands_);
  return fence.WaitOnGpu();
}

absl::Status GlesKernel::LetCallerAwait() {
  if (setup_.gpu->shared_with == EGL_NO_CONTEXT ||
      !setup_.options.does_not_wait) {
    return absl::OkStatus();
  }
  auto fence = egl::DisplayFence::Insert(setup_.gpu->context->display());
  if (!fence.ok()) return fence.status();
  own_commands_ = *std::move(fence);
  return absl::OkStatus();
}

}  // namespace gles_delegate
