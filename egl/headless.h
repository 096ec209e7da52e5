// An OpenGL ES 3.1+ context on one display, without a window.
#ifndef GLES_DELEGATE_EGL_HEADLESS_H_
#define GLES_DELEGATE_EGL_HEADLESS_H_

#include "absl/status/statusor.h"
#include "egl/displays.h"
#include "egl/driver_use.h"
#include "egl/gl_api.h"

namespace gles_delegate::egl {

// Owns an EGLContext and, where the driver has no surfaceless contexts, a 1x1
// pbuffer. Destroys both, and the display if nothing else uses it
// (egl/driver_use.h). Move-only.
class HeadlessContext {
 public:
  HeadlessContext() = default;
  HeadlessContext(HeadlessContext&& other) noexcept;
  HeadlessContext& operator=(HeadlessContext&& other) noexcept;
  ~HeadlessContext();

  // Opens `candidate`'s display and makes a context of the highest version
  // from 3.2 down to 3.1, robust where the driver offers that, with debug
  // messages if `debug`, sharing objects with `shared` if that is a context of
  // the display. Nothing is current afterwards that was not before. Where the
  // driver offers that (EGL_KHR_context_flush_control), letting go of the
  // context flushes nothing: whoever leaves commands behind for others flushes.
  // kUnavailable with the step that failed and EGL's reason; where the driver
  // has OpenGL ES older than 3.1, with that version.
  // The OpenGL ES API must be bound (SavedCurrent does it).
  static absl::StatusOr<HeadlessContext> Open(const DisplayCandidate& candidate,
                                              bool debug, EGLContext shared);

  // kFailedPrecondition with EGL's reason.
  absl::Status MakeCurrent() const;

  EGLDisplay display() const { return use_.display(); }
  EGLSurface surface() const { return surface_; }
  EGLContext context() const { return context_; }

  // Hands context and surface over to the caller, who destroys them. The
  // display stays initialised.
  void Release();

 private:
  DisplayUse use_;
  EGLSurface surface_ = EGL_NO_SURFACE;
  EGLContext context_ = EGL_NO_CONTEXT;
};

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_EGL_HEADLESS_H_
