// Driver faults for tests. Include this from tests only.
#ifndef GLES_DELEGATE_EGL_TESTING_H_
#define GLES_DELEGATE_EGL_TESTING_H_

#include "egl/gl_api.h"

namespace gles_delegate::egl {

// Replaces one entry point until it goes out of scope:
//   ScopedGlOverride fault(&GlApi::GetGraphicsResetStatusKHR,
//                          +[]() -> GLenum { return GL_GUILTY_...; });
// Not thread-safe: no other thread may call GL meanwhile. Needs LoadGl().
template <typename Function>
class ScopedGlOverride {
 public:
  ScopedGlOverride(Function GlApi::*member, Function replacement)
      : member_(member), original_(MutableGlForTesting().*member) {
    MutableGlForTesting().*member_ = replacement;
  }
  ~ScopedGlOverride() { MutableGlForTesting().*member_ = original_; }
  ScopedGlOverride(const ScopedGlOverride&) = delete;
  ScopedGlOverride& operator=(const ScopedGlOverride&) = delete;

  // What the driver itself has, for a replacement that passes calls on.
  Function original() const { return original_; }

 private:
  Function GlApi::*member_;
  Function original_;
};

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_EGL_TESTING_H_
