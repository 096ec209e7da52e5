#include "egl/egl_error.h"

#include "absl/strings/str_cat.h"

namespace gles_delegate::egl {
namespace {

// nullptr for an error that EGL 1.5 does not have.
const char* KnownError(EGLint error) {
  switch (error) {
    case EGL_SUCCESS:
      return "EGL gives no reason";
    case EGL_NOT_INITIALIZED:
      return "EGL_NOT_INITIALIZED (the display could not be initialised)";
    case EGL_BAD_ACCESS:
      return "EGL_BAD_ACCESS (the context is current on another thread)";
    case EGL_BAD_ALLOC:
      return "EGL_BAD_ALLOC (out of memory)";
    case EGL_BAD_ATTRIBUTE:
      return "EGL_BAD_ATTRIBUTE (the driver does not know an attribute)";
    case EGL_BAD_CONFIG:
      return "EGL_BAD_CONFIG (no such configuration)";
    case EGL_BAD_CONTEXT:
      return "EGL_BAD_CONTEXT (the context does not exist any more)";
    case EGL_BAD_CURRENT_SURFACE:
      return "EGL_BAD_CURRENT_SURFACE (the current surface is gone)";
    case EGL_BAD_DISPLAY:
      return "EGL_BAD_DISPLAY (no such display)";
    case EGL_BAD_MATCH:
      return "EGL_BAD_MATCH (the driver offers no such context)";
    case EGL_BAD_NATIVE_PIXMAP:
      return "EGL_BAD_NATIVE_PIXMAP";
    case EGL_BAD_NATIVE_WINDOW:
      return "EGL_BAD_NATIVE_WINDOW (the window is gone)";
    case EGL_BAD_PARAMETER:
      return "EGL_BAD_PARAMETER";
    case EGL_BAD_SURFACE:
      return "EGL_BAD_SURFACE (the surface does not exist any more)";
    case EGL_CONTEXT_LOST:
      return "EGL_CONTEXT_LOST (power management took the context away)";
    default:
      return nullptr;
  }
}

}  // namespace

std::string EglErrorText(EGLint error) {
  const char* const known = KnownError(error);
  if (known != nullptr) return known;
  return absl::StrCat("EGL error 0x", absl::Hex(error));
}

std::string LastEglError() { return EglErrorText(egl().GetError()); }

}  // namespace gles_delegate::egl
