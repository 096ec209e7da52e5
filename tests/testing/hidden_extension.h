// A driver without one of its extensions.
#ifndef GLES_DELEGATE_TESTS_TESTING_HIDDEN_EXTENSION_H_
#define GLES_DELEGATE_TESTS_TESTING_HIDDEN_EXTENSION_H_

#include <cstring>

#include "egl/testing.h"

namespace gles_delegate::testing {

// Hides a GL extension from all code that asks the driver for it, until the
// object goes out of scope. Answers that were given before (a Context's
// DeviceInfo) stay as they are. One at a time; needs LoadGl().
class HiddenExtension {
 public:
  explicit HiddenExtension(const char* name)
      : hide_(&egl::GlApi::GetStringi, &GetStringi) {
    name_ = name;
    driver_ = hide_.original();
  }

 private:
  using Function = decltype(egl::GlApi::GetStringi);

  static const GLubyte* GL_APIENTRY GetStringi(GLenum name, GLuint index) {
    const GLubyte* text = driver_(name, index);
    if (name != GL_EXTENSIONS || text == nullptr ||
        std::strcmp(reinterpret_cast<const char*>(text), name_) != 0) {
      return text;
    }
    return reinterpret_cast<const GLubyte*>("GL_GLES_DELEGATE_hidden");
  }

  static inline const char* name_ = nullptr;
  static inline Function driver_ = nullptr;
  egl::ScopedGlOverride<egl::GlApi, Function> hide_;
};

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_HIDDEN_EXTENSION_H_
