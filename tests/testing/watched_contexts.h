// Watches the calls of eglCreateContext, and refuses some of them.
#ifndef GLES_DELEGATE_TESTS_TESTING_WATCHED_CONTEXTS_H_
#define GLES_DELEGATE_TESTS_TESTING_WATCHED_CONTEXTS_H_

#include <mutex>
#include <vector>

#include "tests/testing/driver_faults.h"

namespace gles_delegate::testing {

// While it lives, on any thread. One at a time.
class WatchedContexts {
 public:
  enum class Refused {
    kNone,
    kSharing,  // contexts that would share objects with another one
    kAll
  };

  explicit WatchedContexts(Refused refused = Refused::kNone)
      : refused_(refused) {}

  // The display of each context that was made, in order.
  std::vector<EGLDisplay> displays() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return displays_;
  }

 private:
  EGLContext Create(EGLDisplay display, EGLConfig config, EGLContext shared,
                    const EGLint* attributes) {
    if (refused_ == Refused::kAll ||
        (refused_ == Refused::kSharing && shared != EGL_NO_CONTEXT)) {
      return EGL_NO_CONTEXT;
    }
    const EGLContext context =
        egl::driver_egl().CreateContext(display, config, shared, attributes);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (context != EGL_NO_CONTEXT) displays_.push_back(display);
    return context;
  }

  const Refused refused_;
  mutable std::mutex mutex_;
  mutable std::vector<EGLDisplay> displays_;  // in const objects, too
  egl::Instead<&egl::EglApi::CreateContext> create_{
      [this](auto... of) { return Create(of...); }};
};

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_WATCHED_CONTEXTS_H_
