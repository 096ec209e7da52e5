#include "egl/display_fence.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "egl/egl_error.h"
#include "egl/open_display.h"

namespace gles_delegate::egl {

DisplayFence::DisplayFence(DisplayFence&& other) noexcept
    : display_(other.display_),
      sync_(std::exchange(other.sync_, EGL_NO_SYNC_KHR)) {}

DisplayFence& DisplayFence::operator=(DisplayFence&& other) noexcept {
  std::swap(display_, other.display_);
  std::swap(sync_, other.sync_);
  return *this;
}

DisplayFence::~DisplayFence() {
  if (sync_ != EGL_NO_SYNC_KHR) egl().DestroySyncKHR(display_, sync_);
}

absl::StatusOr<DisplayFence> DisplayFence::Insert(EGLDisplay display) {
  if (!HasEglExtension(egl().QueryString(display, EGL_EXTENSIONS),
                       "EGL_KHR_wait_sync")) {
    gl().Finish();
    return DisplayFence();
  }
  DisplayFence fence;
  fence.display_ = display;
  fence.sync_ = egl().CreateSyncKHR(display, EGL_SYNC_FENCE_KHR, nullptr);
  if (fence.sync_ == EGL_NO_SYNC_KHR) {
    return absl::InternalError(
        absl::StrCat("eglCreateSyncKHR: ", LastEglError()));
  }
  gl().Flush();
  return fence;
}

absl::Status DisplayFence::WaitOnGpu() const {
  if (sync_ == EGL_NO_SYNC_KHR) return absl::OkStatus();
  if (egl().WaitSyncKHR(display_, sync_, 0)) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("eglWaitSyncKHR: ", LastEglError()));
}

}  // namespace gles_delegate::egl
