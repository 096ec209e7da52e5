// Which process uses the driver, and which displays of it.
//
// A forked child has none of the driver's threads: calls into a driver that the
// parent used hang there. So each use is noted, and a child is refused.
#ifndef GLES_DELEGATE_EGL_DRIVER_USE_H_
#define GLES_DELEGATE_EGL_DRIVER_USE_H_

#include <sys/types.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "egl/gl_api.h"

namespace gles_delegate::egl {

// kFailedPrecondition, with both processes and what to do, where `process` is
// neither 0 nor this one, which then was forked from it. `what` belongs to it:
// "the delegate and its EGLContext".
absl::Status CheckNotForked(pid_t process, absl::string_view what);

// CheckNotForked() of the process that uses the driver through this library.
// Thread-safe; takes no lock, as another thread of the parent may have held it.
absl::Status CheckDriverProcess();

// From here on children of this process are refused: something of the driver is
// used that this library does not release.
void KeepDriver();

// An EGLDisplay that is initialised. The last DisplayUse of a display
// terminates it, if none was initialised before the first and none is kept: so
// looking for a device leaves nothing behind. Only Mesa is known to release its
// threads then; another driver's display stays as it is. An app that
// initialises the same display meanwhile would lose it. Thread-safe, move-only.
class DisplayUse {
 public:
  // kUnavailable, with EGL's error.
  static absl::StatusOr<DisplayUse> Initialize(EGLDisplay display);

  DisplayUse() = default;
  DisplayUse(DisplayUse&& other) noexcept;
  DisplayUse& operator=(DisplayUse&& other) noexcept;
  ~DisplayUse();

  // The display stays initialised for the process's life.
  void Keep();

  EGLDisplay display() const { return display_; }
  // EGL's version: 15 is 1.5.
  EGLint version() const { return version_; }

 private:
  EGLDisplay display_ = EGL_NO_DISPLAY;
  EGLint version_ = 0;
};

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_EGL_DRIVER_USE_H_
