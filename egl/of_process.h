// State that a whole process shares.
#ifndef GLES_DELEGATE_EGL_OF_PROCESS_H_
#define GLES_DELEGATE_EGL_OF_PROCESS_H_

#include <sys/types.h>
#include <unistd.h>

#include <atomic>

namespace gles_delegate::egl {

// This process's T, made by the first call; from any thread. A forked child
// makes its own: a thread of the parent may have held a mutex of it at the
// fork, and the GL objects in it are the parent's. Never deleted: threads and
// exit handlers may use it after static objects are gone.
template <typename T>
T& OfProcess() {
  struct Held {
    const pid_t process = getpid();
    T value;
  };
  static std::atomic<Held*> held = nullptr;
  Held* known = held.load();
  if (known != nullptr && known->process == getpid()) return known->value;
  auto* made = new Held;
  if (held.compare_exchange_strong(known, made)) return made->value;
  delete made;
  return known->value;
}

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_EGL_OF_PROCESS_H_
