// Saves and restores what is current on a thread.
#ifndef GLES_DELEGATE_EGL_CURRENT_CONTEXT_H_
#define GLES_DELEGATE_EGL_CURRENT_CONTEXT_H_

#include "absl/status/status.h"
#include "egl/device_info.h"
#include "egl/gl_api.h"
#include "egl/pinned_contexts.h"

namespace gles_delegate::egl {

// Saves this thread's EGL API, display, surfaces and OpenGL ES context, and
// binds the OpenGL ES API. Releases an orphan first (pinned_contexts.h).
// Restore() or the destructor restores all of it, on the same thread. Needs
// LoadGl().
class SavedCurrent {
 public:
  SavedCurrent();
  ~SavedCurrent();
  SavedCurrent(const SavedCurrent&) = delete;
  SavedCurrent& operator=(const SavedCurrent&) = delete;

  // `used`: an initialised display, through which the current context is
  // released if there was none before; EGL_NO_DISPLAY if nothing was made
  // current. kFailedPrecondition, with EGL's error.
  absl::Status Restore(EGLDisplay used);

  // Whether no OpenGL ES context was current, or one that a Run() left current.
  bool had_none_of_app() const {
    return context_ == EGL_NO_CONTEXT || IsLeftCurrent(context_);
  }
  // Keeps the current context and rebinds the previous API.
  void Forget();

 private:
  EGLenum api_;
  EGLDisplay display_;
  EGLSurface draw_;
  EGLSurface read_;
  EGLContext context_;
  bool restored_ = false;
};

// The current context's reset status, of a driver that reports it.
// GL_NO_ERROR: it is not lost, or was asked before.
GLenum ResetStatus(const DeviceInfo& device);

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_EGL_CURRENT_CONTEXT_H_
