#include "egl/share_group.h"

#include <unistd.h>

#include <atomic>
#include <thread>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "base/hash_tables.h"
#include "egl/caught.h"
#include "egl/environment.h"
#include "egl/objects.h"
#include "egl/of_process.h"

namespace gles_delegate::egl {

// --- Contexts that stay current ----------------------------------------------

namespace {

// Binds the OpenGL ES API, whose context is meant, while it lives.
class ScopedEsApi {
 public:
  ScopedEsApi() : before_(egl().QueryAPI()) {
    egl().BindAPI(EGL_OPENGL_ES_API);
  }
  ScopedEsApi(const ScopedEsApi&) = delete;
  ScopedEsApi& operator=(const ScopedEsApi&) = delete;
  ~ScopedEsApi() {
    if (before_ != EGL_NONE) egl().BindAPI(before_);
  }

 private:
  const EGLenum before_;
};

void MakeNoneCurrent(EGLDisplay display) {
  egl().MakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
}

class PinnedContexts {
 public:
  bool IsOwner(EGLContext context, std::thread::id thread, bool may_become) {
    const std::lock_guard<std::mutex> lock(mutex_);
    orphans_.erase(context);  // the handle of one that is long gone
    if (may_become) owners_.try_emplace(context, thread);
    const auto it = owners_.find(context);
    return it != owners_.end() && it->second == thread;
  }

  bool Has(EGLContext context) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return owners_.contains(context) || IsOrphan(context);
  }

  bool HasOrphan(EGLContext context) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return IsOrphan(context);
  }

  // Holds the mutex until the context is destroyed, so that EGL reports it as
  // an orphan to its owner.
  void Destroy(EGLDisplay display, EGLContext context) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (owners_.erase(context) > 0) orphans_.insert(context);
    egl().DestroyContext(display, context);
  }

  bool Forget(EGLContext context) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto it = owners_.find(context);
    if (it == owners_.end()) return true;
    if (it->second != std::this_thread::get_id()) return false;
    owners_.erase(it);
    return true;
  }

  // Of the thread that calls, which ends.
  void ThreadEnds() {
    const std::thread::id me = std::this_thread::get_id();
    const ScopedEsApi api;
    const EGLContext current = egl().GetCurrentContext();
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto it = owners_.find(current);
    if (it != owners_.end() ? it->second == me : IsOrphan(current)) {
      MakeNoneCurrent(egl().GetCurrentDisplay());
    }
    EraseIf(owners_, [&](const auto& owned) { return owned.second == me; });
  }

 private:
  // With the mutex held. The app's context may reuse the handle of a deleted
  // one, which EGL tells apart.
  bool IsOrphan(EGLContext context) {
    if (!orphans_.contains(context)) return false;
    EGLint type = 0;
    const bool is_known = egl().QueryContext(egl().GetCurrentDisplay(), context,
                                             EGL_CONTEXT_CLIENT_TYPE, &type);
    if (is_known) orphans_.erase(context);
    return !is_known;
  }

  std::mutex mutex_;  // of what follows
  HashMap<EGLContext, std::thread::id> owners_;
  HashSet<EGLContext> orphans_;
};

PinnedContexts& OfThisProcess() { return OfProcess<PinnedContexts>(); }

// When an owner ends, no other thread could use its contexts if they stayed
// current there.
struct Owner {
  pid_t process = 0;  // in which it is one
  ~Owner() {
    if (process == getpid()) OfThisProcess().ThreadEnds();
  }
};

thread_local Owner this_thread;

}  // namespace

bool IsOwnedHere(EGLContext context, bool may_become) {
  const bool is_owner =
      OfThisProcess().IsOwner(context, std::this_thread::get_id(), may_become);
  if (is_owner) this_thread.process = getpid();
  return is_owner;
}

bool IsLeftCurrent(EGLContext context) {
  return context != EGL_NO_CONTEXT && OfThisProcess().Has(context);
}

void Release(EGLDisplay display, EGLContext context) {
  const ScopedEsApi api;
  if (egl().GetCurrentContext() == context) MakeNoneCurrent(display);
}

void ReleaseOrphan() {
  const EGLContext current = egl().GetCurrentContext();
  if (current == EGL_NO_CONTEXT || !OfThisProcess().HasOrphan(current)) {
    return;
  }
  MakeNoneCurrent(egl().GetCurrentDisplay());
}

bool ForgetOwner(EGLContext context) { return OfThisProcess().Forget(context); }

void DestroyContext(EGLDisplay display, EGLContext context) {
  Release(display, context);
  OfThisProcess().Destroy(display, context);
}

bool MayStayCurrent() {
  if (IsPrivileged()) return false;  // it may have a display all the same
  const char* display = EnvironmentValue("DISPLAY");
  return display == nullptr || *display == '\0';
}

// --- Groups ------------------------------------------------------------------

namespace {

// Of the context whose Run() this thread is in; 0: of none.
thread_local uint64_t current_share_group = 0;

uint64_t NextId() {
  static std::atomic<uint64_t> last = 0;
  return ++last;
}

struct IdleGroups {
  std::mutex mutex;
  HashMap<EGLDisplay, std::vector<std::shared_ptr<ShareGroup>>> by_display;
};

// NVIDIA's own driver; Nouveau's vendor is Mesa.
bool MustNotDestroy(EGLDisplay display) {
  const char* vendor = egl().QueryString(display, EGL_VENDOR);
  return vendor != nullptr && absl::StrContains(vendor, "NVIDIA");
}

}  // namespace

uint64_t CurrentShareGroup() { return current_share_group; }

ScopedShareGroup::ScopedShareGroup(uint64_t group)
    : before_(std::exchange(current_share_group, group)) {}
ScopedShareGroup::~ScopedShareGroup() { current_share_group = before_; }

void Destroy(const EglContext& context) {
  if (context.surface != EGL_NO_SURFACE) {
    egl().DestroySurface(context.display, context.surface);
  }
  DestroyContext(context.display, context.context);
}

ShareGroup::ShareGroup(bool with_app) : id_(NextId()), with_app_(with_app) {}

void ShareGroup::Join() {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++members_;
}

void ShareGroup::Leave(std::optional<EglContext> own) {
  // Destructors call it. Without memory the context stays until the process
  // ends.
  (void)Caught([&] {
    LeaveOrThrow(own);
    return absl::OkStatus();
  });
}

void ShareGroup::LeaveOrThrow(std::optional<EglContext> own) {
  std::vector<EglContext> destroyed;
  EGLDisplay idle = EGL_NO_DISPLAY;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const bool is_last = --members_ == 0;
    if (own) retired_.push_back(*own);
    if (!is_last || retired_.empty()) return;
    if (!with_app_ && MustNotDestroy(retired_[0].display)) {
      idle = retired_[0].display;
    } else {
      destroyed = std::exchange(retired_, {});
    }
  }
  for (const EglContext& context : destroyed) Destroy(context);
  if (idle == EGL_NO_DISPLAY) return;
  IdleGroups& groups = OfProcess<IdleGroups>();
  const std::lock_guard<std::mutex> lock(groups.mutex);
  groups.by_display[idle].push_back(shared_from_this());
}

std::optional<EglContext> ShareGroup::TakeRetired(bool debug) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found =
      absl::c_find_if(retired_, [debug](const EglContext& context) {
        return context.debug == debug && ForgetOwner(context.context);
      });
  if (found == retired_.end()) return std::nullopt;
  const EglContext context = *found;
  retired_.erase(found);
  return context;
}

std::optional<ShareGroup::Idle> ShareGroup::TakeIdle(EGLDisplay display,
                                                     bool debug) {
  IdleGroups& groups = OfProcess<IdleGroups>();
  const std::lock_guard<std::mutex> lock(groups.mutex);
  std::vector<std::shared_ptr<ShareGroup>>& idle = groups.by_display[display];
  for (auto group = idle.begin(); group != idle.end(); ++group) {
    const auto context = (*group)->TakeRetired(debug);
    if (!context) continue;
    Idle taken = {*group, *context};
    idle.erase(group);
    return taken;
  }
  return std::nullopt;
}

}  // namespace gles_delegate::egl
