// EGL error codes as text.
#ifndef GLES_DELEGATE_EGL_EGL_ERROR_H_
#define GLES_DELEGATE_EGL_EGL_ERROR_H_

#include <string>

#include "egl/gl_api.h"

namespace gles_delegate::egl {

// "EGL_BAD_ACCESS (the context is current on another thread)", or the number of
// an unknown code.
std::string EglErrorText(EGLint error);

// The text of eglGetError(), for this thread's last EGL call.
std::string LastEglError();

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_EGL_EGL_ERROR_H_
