// What is current on a thread, to be put back.
#ifndef GLES_DELEGATE_EGL_CURRENT_CONTEXT_H_
#define GLES_DELEGATE_EGL_CURRENT_CONTEXT_H_

#include "absl/status/status.h"
#include "egl/gl_api.h"
#include "egl/kept_contexts.h"

namespace gles_delegate::egl {

// Remembers this thread's EGL API, display, surfaces and OpenGL ES context, and
// binds the OpenGL ES API. Lets go of an orphan first (kept_contexts.h).
// Restore() (or the destructor) puts all of it back. Used on the thread that
// made it only. Needs LoadGl().
class SavedCurrent {
 public:
  SavedCurrent();
  ~SavedCurrent();
  SavedCurrent(const SavedCurrent&) = delete;
  SavedCurrent& operator=(const SavedCurrent&) = delete;

  // `used`: an initialised display, through which the current context is let
  // go where there was none before; EGL_NO_DISPLAY where nothing was made
  // current. kFailedPrecondition, with EGL's error.
  absl::Status Restore(EGLDisplay used);

  // Whether no OpenGL ES context was current, or one of ours that is kept.
  bool had_none_of_app() const {
    return context_ == EGL_NO_CONTEXT || IsLeftCurrent(context_);
  }
  // Leaves what is current now, and binds the API that was bound before.
  void Forget();

 private:
  EGLenum api_;
  EGLDisplay display_;
  EGLSurface draw_;
  EGLSurface read_;
  EGLContext context_;
  bool restored_ = false;
};

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_EGL_CURRENT_CONTEXT_H_
