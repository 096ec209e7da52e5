// Watches the calls of eglCreateContext, and refuses some of them.
#ifndef GLES_DELEGATE_TESTS_TESTING_WATCHED_CONTEXTS_H_
#define GLES_DELEGATE_TESTS_TESTING_WATCHED_CONTEXTS_H_

#include <memory>
#include <mutex>
#include <vector>

#include "egl/testing.h"

namespace gles_delegate::testing {

// While it lives, on any thread. One at a time.
class WatchedContexts {
 public:
  enum class Refused {
    kNone,
    kSharing,  // contexts that would share objects with another one
    kAll
  };

  explicit WatchedContexts(Refused refused = Refused::kNone) {
    state().refused = refused;
    state().displays.clear();
    create_ = std::make_unique<Override>(&egl::EglApi::CreateContext, Create);
  }

  // The display of each context that was made, in order.
  std::vector<EGLDisplay> displays() const {
    const std::lock_guard<std::mutex> lock(state().mutex);
    return state().displays;
  }

 private:
  using Override =
      egl::ScopedGlOverride<egl::EglApi, decltype(egl::EglApi::CreateContext)>;
  // Of the process: a function of EGL's has no captures.
  struct State {
    Refused refused = Refused::kNone;
    std::mutex mutex;
    std::vector<EGLDisplay> displays;
  };
  static State& state() {
    static auto& state = *new State;
    return state;
  }
  static EGLContext Create(EGLDisplay display, EGLConfig config,
                           EGLContext shared, const EGLint* attributes) {
    const Refused refused = state().refused;
    if (refused == Refused::kAll ||
        (refused == Refused::kSharing && shared != EGL_NO_CONTEXT)) {
      return EGL_NO_CONTEXT;
    }
    const EGLContext context =
        egl::driver_egl().CreateContext(display, config, shared, attributes);
    const std::lock_guard<std::mutex> lock(state().mutex);
    if (context != EGL_NO_CONTEXT) state().displays.push_back(display);
    return context;
  }

  std::unique_ptr<Override> create_;
};

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_WATCHED_CONTEXTS_H_
