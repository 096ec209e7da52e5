// An OpenGL ES 3.1+ context on one display, without a window.
#ifndef GLES_DELEGATE_EGL_HEADLESS_H_
#define GLES_DELEGATE_EGL_HEADLESS_H_

#include "absl/status/statusor.h"
#include "egl/displays.h"
#include "egl/driver_use.h"
#include "egl/gl_api.h"

namespace gles_delegate::egl {

// Owns an EGLContext and, if the driver lacks surfaceless contexts, a 1x1
// pbuffer. Destroys both, and the display if nothing else uses it
// (egl/driver_use.h). Move-only.
class HeadlessContext {
 public:
  HeadlessContext() = default;
  HeadlessContext(HeadlessContext&& other) noexcept;
  HeadlessContext& operator=(HeadlessContext&& other) noexcept;
  ~HeadlessContext();

  // Opens `candidate`'s display and makes a context of the highest version from
  // 3.2 down to 3.1: robust if the driver supports that, with debug messages if
  // `debug`, sharing objects with `shared` if that is a context of the display.
  // Does not change what is current. With EGL_KHR_context_flush_control,
  // releasing the context does not flush, so callers flush commands that others
  // wait for. kUnavailable, with the failed step and EGL's reason or the
  // driver's older version. The OpenGL ES API must be bound (SavedCurrent does
  // it).
  static absl::StatusOr<HeadlessContext> Open(const DisplayCandidate& candidate,
                                              bool debug, EGLContext shared);

  // kFailedPrecondition with EGL's reason.
  absl::Status MakeCurrent() const;

  EGLDisplay display() const { return use_.display(); }
  EGLSurface surface() const { return surface_; }
  EGLContext context() const { return context_; }

  // Transfers ownership of context and surface to the caller. The display stays
  // initialised.
  void Release();

 private:
  DisplayUse use_;
  EGLSurface surface_ = EGL_NO_SURFACE;
  EGLContext context_ = EGL_NO_CONTEXT;
};

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_EGL_HEADLESS_H_
