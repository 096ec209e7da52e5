// Tracks the process and the displays that use the driver.
//
// A forked child has none of the driver's threads, so calls into a driver that
// the parent used would hang. Uses are recorded, and children are refused.
#ifndef GLES_DELEGATE_EGL_DRIVER_USE_H_
#define GLES_DELEGATE_EGL_DRIVER_USE_H_

#include <sys/types.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "egl/gl_api.h"

namespace gles_delegate::egl {

// kFailedPrecondition, with both processes and a remedy, if `process` is
// neither 0 nor this one, that is if this process was forked from it. `what`
// names its property in the message: "the delegate and its EGLContext".
absl::Status CheckNotForked(pid_t process, absl::string_view what);

// CheckNotForked() for the process that uses the driver through this library.
// Thread-safe and lock-free: another thread may have held a lock at the fork.
absl::Status CheckDriverProcess();

// Refuses children of this process from now on: it uses driver state that this
// library does not release.
void PinDriver();

// An initialised EGLDisplay. The last DisplayUse of a display terminates it,
// unless it was initialised before the first or is pinned, so that looking for
// a device leaves nothing behind. Only for Mesa, which is known to release its
// threads; other drivers' displays stay initialised. An app that initialises
// the same display in the meantime would lose it. Thread-safe, move-only.
class DisplayUse {
 public:
  // kUnavailable, with EGL's error.
  static absl::StatusOr<DisplayUse> Initialize(EGLDisplay display);

  DisplayUse() = default;
  DisplayUse(DisplayUse&& other) noexcept;
  DisplayUse& operator=(DisplayUse&& other) noexcept;
  ~DisplayUse();

  // Keeps the display initialised until the process ends.
  void Pin();

  EGLDisplay display() const { return display_; }
  // EGL's version: 15 is 1.5.
  EGLint version() const { return version_; }

 private:
  EGLDisplay display_ = EGL_NO_DISPLAY;
  EGLint version_ = 0;
};

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_EGL_DRIVER_USE_H_
