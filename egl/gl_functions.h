// The tables of function pointers; include gl_api.h instead.
#ifndef GLES_DELEGATE_EGL_GL_FUNCTIONS_H_
#define GLES_DELEGATE_EGL_GL_FUNCTIONS_H_

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES2/gl2ext.h>
#include <GLES3/gl31.h>

namespace gles_delegate::egl {

// The macros declare members; parentheses around the name would break that.
// NOLINTBEGIN(bugprone-macro-parentheses)
struct GlApi {
#define GL_REQUIRED(name) decltype(&::gl##name) name = nullptr;
#define GL_OPTIONAL(name, type) type name = nullptr;
#include "egl/gl_functions.inc"
};

struct EglApi {
#define EGL_REQUIRED(name) decltype(&::egl##name) name = nullptr;
#define EGL_OPTIONAL(name, type) type name = nullptr;
#include "egl/gl_functions.inc"
};
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_EGL_GL_FUNCTIONS_H_
