// Per-process state.
#ifndef GLES_DELEGATE_EGL_OF_PROCESS_H_
#define GLES_DELEGATE_EGL_OF_PROCESS_H_

#include <sys/types.h>
#include <unistd.h>

#include <atomic>

namespace gles_delegate::egl {

// This process's T, made by the first call on any thread. A forked child makes
// its own, since a thread of the parent may have held one of its mutexes and
// the GL objects in it belong to the parent. Never deleted: threads and exit
// handlers may use it after static objects are destroyed.
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
