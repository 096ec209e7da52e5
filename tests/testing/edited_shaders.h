// Drivers that compile other shaders than they are given.
#ifndef GLES_DELEGATE_TESTS_TESTING_EDITED_SHADERS_H_
#define GLES_DELEGATE_TESTS_TESTING_EDITED_SHADERS_H_

#include <functional>
#include <string>

#include "gtest/gtest.h"
#include "tests/testing/driver_faults.h"

namespace gles_delegate::testing {

// Changes the text of each shader on its way to the driver, while it lives.
class EditedShaders : public egl::Instead<&egl::GlApi::ShaderSource> {
 public:
  explicit EditedShaders(const std::function<void(std::string* text)>& edit)
      : Instead([edit](GLuint shader, GLsizei count, const GLchar* const* texts,
                       const GLint* lengths) {
          ASSERT_EQ(count, 1);
          std::string text = lengths == nullptr
                                 ? std::string(texts[0])
                                 : std::string(texts[0], lengths[0]);
          edit(&text);
          const GLchar* const edited = text.c_str();
          egl::driver_gl().ShaderSource(shader, 1, &edited, nullptr);
        }) {}
};

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_EDITED_SHADERS_H_
