#include "egl/driver_use.h"

#include <unistd.h>

#include <atomic>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "base/hash_tables.h"
#include "base/status_macros.h"
#include "egl/of_process.h"

namespace gles_delegate::egl {
namespace {

// 0: none. A child inherits it from its parent.
std::atomic<pid_t> g_driver_process = 0;

bool IsMesa(EGLDisplay display) {
  const char* vendor = egl().QueryString(display, EGL_VENDOR);
  return vendor != nullptr && absl::StrContains(vendor, "Mesa");
}

// exit() in a child of a process that uses Mesa: Mesa's own handler joins
// threads that the child does not have, and dies. The handlers that were
// registered before Mesa's do not run either way.
void EndChildBeforeMesa() {
#ifdef __GLIBC__
  static const int registered = on_exit(
      +[](int status, void*) {
        if (CheckDriverProcess().ok()) return;
        std::fflush(nullptr);
        _exit(status);
      },
      nullptr);
  (void)registered;
#endif
}

// Thread-safe.
class Displays {
 public:
  absl::Status Initialize(EGLDisplay display, EGLint* version) {
    const absl::MutexLock lock(&mutex_);
    Use& use = uses_[display];
    if (use.count == 0 && !use.is_pinned) {
      use.is_pinned = egl().QueryString(display, EGL_VERSION) != nullptr;
      if (!use.is_pinned) egl().GetError();  // EGL_NOT_INITIALIZED
    }
    ++use.count;
    Note();
    EGLint major = 0, minor = 0;
    if (!egl().Initialize(display, &major, &minor)) {
      const absl::Status status = absl::UnavailableError(
          absl::StrCat("eglInitialize: ", LastEglError()));
      --use.count;
      Forget(display);
      return status;
    }
    *version = 10 * major + minor;
    if (IsMesa(display)) {
      EndChildBeforeMesa();
    } else {
      use.is_pinned = true;
    }
    return absl::OkStatus();
  }

  void Drop(EGLDisplay display) {
    const absl::MutexLock lock(&mutex_);
    const auto use = uses_.find(display);
    if (use == uses_.end()) return;  // the parent's
    if (--use->second.count > 0 || use->second.is_pinned) return;
    egl().Terminate(display);
    Forget(display);
  }

  void Pin(EGLDisplay display) {
    const absl::MutexLock lock(&mutex_);
    Use& use = uses_[display];
    --use.count;
    use.is_pinned = true;
  }

  void PinDriver() {
    const absl::MutexLock lock(&mutex_);
    is_pinned_ = true;
    Note();
  }

 private:
  struct Use {
    int count = 0;  // DisplayUse that are not pinned
    bool is_pinned = false;
  };

  void Forget(EGLDisplay display) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    const Use& use = uses_[display];
    if (use.count == 0 && !use.is_pinned) uses_.erase(display);
    Note();
  }
  void Note() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    g_driver_process = is_pinned_ || !uses_.empty() ? getpid() : 0;
  }

  absl::Mutex mutex_;
  HashMap<EGLDisplay, Use> uses_ ABSL_GUARDED_BY(mutex_);
  bool is_pinned_ ABSL_GUARDED_BY(mutex_) = false;
};

Displays& DisplaysOfProcess() { return OfProcess<Displays>(); }

}  // namespace

absl::Status CheckNotForked(pid_t process, absl::string_view what) {
  if (process == 0 || process == getpid()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      what, " belongs to process ", process, ", and this is process ", getpid(),
      ", which was forked from it: OpenGL drivers do not survive a fork. Start "
      "processes by spawn or forkserver, or fork before the first use of the "
      "driver"));
}

absl::Status CheckDriverProcess() {
  return CheckNotForked(g_driver_process, "the OpenGL driver");
}

void PinDriver() { DisplaysOfProcess().PinDriver(); }

absl::StatusOr<DisplayUse> DisplayUse::Initialize(EGLDisplay display) {
  DisplayUse use;
  RETURN_IF_ERROR(DisplaysOfProcess().Initialize(display, &use.version_));
  use.display_ = display;
  return use;
}

DisplayUse::DisplayUse(DisplayUse&& other) noexcept {
  *this = std::move(other);
}

DisplayUse& DisplayUse::operator=(DisplayUse&& other) noexcept {
  std::swap(display_, other.display_);
  std::swap(version_, other.version_);
  return *this;
}

DisplayUse::~DisplayUse() {
  if (display_ != EGL_NO_DISPLAY) DisplaysOfProcess().Drop(display_);
}

void DisplayUse::Pin() {
  if (display_ != EGL_NO_DISPLAY) DisplaysOfProcess().Pin(display_);
  display_ = EGL_NO_DISPLAY;
}

}  // namespace gles_delegate::egl
