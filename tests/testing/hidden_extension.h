// A driver without one of its extensions.
#ifndef GLES_DELEGATE_TESTS_TESTING_HIDDEN_EXTENSION_H_
#define GLES_DELEGATE_TESTS_TESTING_HIDDEN_EXTENSION_H_

#include <cstring>

#include "tests/testing/driver_faults.h"

namespace gles_delegate::testing {

// Hides a GL extension from all code that asks the driver for it, until the
// object goes out of scope. Answers that were given before (a Context's
// DeviceInfo) stay as they are. One at a time; needs LoadGl().
class HiddenExtension {
 public:
  explicit HiddenExtension(const char* name)
      : hide_([name, driver = egl::gl().GetStringi](GLenum list, GLuint index) {
          const GLubyte* text = driver(list, index);
          if (list != GL_EXTENSIONS || text == nullptr ||
              std::strcmp(reinterpret_cast<const char*>(text), name) != 0) {
            return text;
          }
          return reinterpret_cast<const GLubyte*>("GL_GLES_DELEGATE_hidden");
        }) {}

 private:
  egl::Instead<&egl::GlApi::GetStringi> hide_;
};

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_HIDDEN_EXTENSION_H_
