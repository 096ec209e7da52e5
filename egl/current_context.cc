#include "egl/current_context.h"

#include "absl/strings/str_cat.h"
#include "egl/egl_error.h"
#include "egl/environment.h"

namespace gles_delegate::egl {

SavedCurrent::SavedCurrent() : api_(egl().QueryAPI()) {
  // Each API has its own current context; this saves and replaces that of ES.
  egl().BindAPI(EGL_OPENGL_ES_API);
  ReleaseOrphan();
  display_ = egl().GetCurrentDisplay();
  draw_ = egl().GetCurrentSurface(EGL_DRAW);
  read_ = egl().GetCurrentSurface(EGL_READ);
  context_ = egl().GetCurrentContext();
}

SavedCurrent::~SavedCurrent() {
  if (!restored_) Restore(egl().GetCurrentDisplay()).IgnoreError();
}

void SavedCurrent::Forget() {
  restored_ = true;
  // EGL_NONE: a library without OpenGL ES, which has nothing to go back to.
  if (api_ != EGL_NONE) egl().BindAPI(api_);
}

absl::Status SavedCurrent::Restore(EGLDisplay used) {
  restored_ = true;
  EGLBoolean ok = EGL_TRUE;
  if (egl().GetCurrentContext() != context_ ||
      egl().GetCurrentSurface(EGL_DRAW) != draw_ ||
      egl().GetCurrentSurface(EGL_READ) != read_) {
    ok = context_ != EGL_NO_CONTEXT
             ? egl().MakeCurrent(display_, draw_, read_, context_)
             : egl().MakeCurrent(used, EGL_NO_SURFACE, EGL_NO_SURFACE,
                                 EGL_NO_CONTEXT);
  }
  const EGLint error = ok ? EGL_SUCCESS : egl().GetError();
  // Ignores a context of the delegate whose display was terminated: its own
  // Run() will notice.
  if (!ok && IsLeftCurrent(context_)) {
    ok =
        egl().MakeCurrent(used, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
  }
  // EGL_NONE: a library without OpenGL ES, which has nothing to go back to.
  if (api_ != EGL_NONE) egl().BindAPI(api_);
  if (ok) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "the EGLContext that was current before could not be made current "
      "again: ",
      EglErrorText(error)));
}

GLenum ResetStatus(const DeviceInfo& device) {
  // A driver without its hardware (lab/drivers) gives any answer, and the
  // question itself makes Mesa take a context for lost.
  if (DebugHas("ignore_resets")) return GL_NO_ERROR;
  if (device.Has("GL_KHR_robustness")) {
    return gl().GetGraphicsResetStatusKHR();
  }
  return device.Has("GL_EXT_robustness") ? gl().GetGraphicsResetStatusEXT()
                                         : GL_NO_ERROR;
}

}  // namespace gles_delegate::egl
