// The contexts that share objects with one another.
#ifndef GLES_DELEGATE_EGL_SHARE_GROUP_H_
#define GLES_DELEGATE_EGL_SHARE_GROUP_H_

#include <cstdint>
#include <memory>
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
// Also of a context that stays current.
void Destroy(const EglContext& context);

// Retires contexts instead of destroying them: after eglDestroyContext,
// NVIDIA's driver (580.159) computes wrong results in other contexts, and
// crashes. A group's next context is a retired one. Once a group has no
// members, its contexts are destroyed, or with NVIDIA's driver stay idle, to be
// taken by the next group on their display. Threads: any.
class ShareGroup : public std::enable_shared_from_this<ShareGroup> {
 public:
  // `with_app`: the app's context is a member, so that no other group may take
  // the contexts.
  explicit ShareGroup(bool with_app = false);
  ShareGroup(const ShareGroup&) = delete;
  ShareGroup& operator=(const ShareGroup&) = delete;

  // Different for each group of the process, and not 0.
  uint64_t id() const { return id_; }

  void Join();
  // A member leaves, with its context if it owns one that is not lost.
  void Leave(std::optional<EglContext> own);
  // A retired context that is current on no thread.
  std::optional<EglContext> TakeRetired(bool debug);

  // A group without members of the display, and one of its contexts. Not
  // inherited by forked children.
  struct Idle {
    std::shared_ptr<ShareGroup> group;
    EglContext context;
  };
  static std::optional<Idle> TakeIdle(EGLDisplay display, bool debug);

 private:
  void LeaveOrThrow(std::optional<EglContext> own);
  const uint64_t id_;
  const bool with_app_;
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

// --- Contexts that stay current ----------------------------------------------

// Pinned contexts: the delegate's own, which stay current on a thread between
// calls (Context::Pin). Each has an owner, the only thread on which it may be
// current. If it is destroyed while current on its owner by another thread, it
// is an orphan: EGL keeps it until the owner releases it.

// Whether this thread owns the context. If it has no owner and `may_become`,
// this thread becomes it, until the context is destroyed or the thread ends,
// which releases the context.
bool IsOwnedHere(EGLContext context, bool may_become);

// Whether `context`, current on this thread now or before a Run(), was left
// current by a Run() and is not the app's.
bool IsLeftCurrent(EGLContext context);

// Releases the context if it is current on this thread.
void Release(EGLDisplay display, EGLContext context);

// Releases this thread's current context if it is an orphan.
void ReleaseOrphan();

// After Release(): the context has no owner any more, unless that is another
// thread, on which it may be current; then false.
bool ForgetOwner(EGLContext context);

// Destroys a context, pinned or not, after Release().
void DestroyContext(EGLDisplay display, EGLContext context);

// False if a context that stays current could disturb the app: if the
// environment variable DISPLAY is set, the app may make a GLX context current
// on the thread, which libglvnd refuses while an EGL context is current there.
bool MayStayCurrent();

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_EGL_SHARE_GROUP_H_
