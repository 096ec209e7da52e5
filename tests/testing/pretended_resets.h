// Lost contexts, with drivers that lose none.
#ifndef GLES_DELEGATE_TESTS_TESTING_PRETENDED_RESETS_H_
#define GLES_DELEGATE_TESTS_TESTING_PRETENDED_RESETS_H_

#include <atomic>

#include "tests/testing/driver_faults.h"

namespace gles_delegate::testing {

// A driver that tells of a reset once a test says so; on any threads.
class PretendedResets {
 public:
  // The driver's next answer, or the one after as many others.
  void Tell(GLenum reset = GL_INNOCENT_CONTEXT_RESET_KHR, int others = 0) {
    others_ = others;
    next_ = reset;
  }
  bool has_told() const { return next_ == GL_NO_ERROR; }

 private:
  GLenum Answer() {
    if (has_told() || others_-- > 0) return GL_NO_ERROR;
    return next_.exchange(GL_NO_ERROR);
  }

  std::atomic<GLenum> next_ = GL_NO_ERROR;
  std::atomic<int> others_ = 0;
  egl::Instead<&egl::GlApi::GetGraphicsResetStatusKHR> status_{
      [this](auto...) { return Answer(); }};
};

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_PRETENDED_RESETS_H_
