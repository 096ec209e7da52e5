// The contexts that share objects with one another.
#ifndef GLES_DELEGATE_EGL_SHARE_GROUP_H_
#define GLES_DELEGATE_EGL_SHARE_GROUP_H_

#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "egl/gl_api.h"

namespace gles_delegate::egl {

struct EglContext {
  EGLDisplay display = EGL_NO_DISPLAY;
  EGLContext context = EGL_NO_CONTEXT;
  EGLSurface surface = EGL_NO_SURFACE;
  bool debug = false;
};
// Also of a context that is kept current (egl/kept_contexts.h).
void Destroy(const EglContext& context);

// Destroys no context while another member lives: after eglDestroyContext,
// NVIDIA's driver (580.159) computes wrong results in other contexts, and
// crashes. The next member takes the retired context. Threads: any.
class ShareGroup {
 public:
  ShareGroup();
  ShareGroup(const ShareGroup&) = delete;
  ShareGroup& operator=(const ShareGroup&) = delete;

  // Different for each group of the process, and not 0.
  uint64_t id() const { return id_; }

  void Join();
  // A member leaves, with its context if it owns one. The last one destroys it
  // and those that are retired, unless `keeps`. True: there are retired
  // contexts and no members.
  bool Leave(std::optional<EglContext> own, bool keeps = false);
  // A retired context that is current on no thread.
  std::optional<EglContext> TakeRetired(bool debug);

 private:
  const uint64_t id_;
  std::mutex mutex_;
  int members_ = 0;
  std::vector<EglContext> retired_;
};

// While this object lives, the thread is in Run() of a context of that group
// (CurrentShareGroup() in egl/objects.h).
class ScopedShareGroup {
 public:
  explicit ScopedShareGroup(uint64_t group);
  ScopedShareGroup(const ScopedShareGroup&) = delete;
  ScopedShareGroup& operator=(const ScopedShareGroup&) = delete;
  ~ScopedShareGroup();

 private:
  const uint64_t before_;
};

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_EGL_SHARE_GROUP_H_
