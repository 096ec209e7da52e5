// A fence between contexts of one display, whether or not they share objects.
#ifndef GLES_DELEGATE_EGL_DISPLAY_FENCE_H_
#define GLES_DELEGATE_EGL_DISPLAY_FENCE_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "egl/gl_api.h"

namespace gles_delegate::egl {

// Move-only; an empty fence is a no-op. Threads: any, one at a time; may be
// destroyed with any context current, or none.
class DisplayFence {
 public:
  DisplayFence() = default;
  DisplayFence(DisplayFence&& other) noexcept;
  DisplayFence& operator=(DisplayFence&& other) noexcept;
  ~DisplayFence();

  // A fence behind all commands so far of `display`'s context that is current
  // on this thread; flushes them. Without EGL_KHR_wait_sync the CPU waits for
  // the commands here and the fence is empty. kInternal, with EGL's error.
  static absl::StatusOr<DisplayFence> Insert(EGLDisplay display);

  // Makes later commands of the context that is current on this thread wait for
  // the fence on the GPU. kInternal, with EGL's error.
  absl::Status WaitOnGpu() const;

 private:
  EGLDisplay display_ = EGL_NO_DISPLAY;
  EGLSyncKHR sync_ = EGL_NO_SYNC_KHR;
};

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_EGL_DISPLAY_FENCE_H_
