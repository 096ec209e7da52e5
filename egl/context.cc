#include "egl/context.h"

#include <unistd.h>

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "base/hash_tables.h"
#include "base/status_macros.h"
#include "egl/objects.h"
#include "egl/process.h"

namespace gles_delegate::egl {

// --- Contexts that stay current ----------------------------------------------

namespace {

// EGL_NONE: a library without OpenGL ES, which has nothing to go back to.
void BindApiAgain(EGLenum before) {
  if (before != EGL_NONE) egl().BindAPI(before);
}

// Binds the OpenGL ES API, whose context is meant, until the result goes out of
// scope.
auto ScopedEsApi() {
  const EGLenum before = egl().QueryAPI();
  egl().BindAPI(EGL_OPENGL_ES_API);
  return absl::MakeCleanup([before] { BindApiAgain(before); });
}

EGLBoolean MakeNoneCurrent(EGLDisplay display) {
  return egl().MakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE,
                           EGL_NO_CONTEXT);
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

  // After ReleaseHere(): the context has no owner any more, unless that is
  // another thread, on which it may be current; then false.
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
    const auto api = ScopedEsApi();
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

// Whether this thread owns the context. If it has no owner and `may_become`,
// this thread becomes it, until the context is destroyed or the thread ends,
// which releases the context.
bool IsOwnedHere(EGLContext context, bool may_become) {
  const bool is_owner =
      OfThisProcess().IsOwner(context, std::this_thread::get_id(), may_become);
  if (is_owner) this_thread.process = getpid();
  return is_owner;
}

// Releases the context if it is current on this thread.
void ReleaseHere(EGLDisplay display, EGLContext context) {
  const auto api = ScopedEsApi();
  if (egl().GetCurrentContext() == context) MakeNoneCurrent(display);
}

}  // namespace

bool IsLeftCurrent(EGLContext context) {
  return context != EGL_NO_CONTEXT && OfThisProcess().Has(context);
}

bool MayStayCurrent() {
  if (IsPrivileged()) return false;  // it may have a display all the same
  return EnvironmentValue("DISPLAY").empty();
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

}  // namespace

uint64_t CurrentShareGroup() { return current_share_group; }

void Destroy(const EglContext& context) {
  if (context.surface != EGL_NO_SURFACE) {
    egl().DestroySurface(context.display, context.surface);
  }
  ReleaseHere(context.display, context.context);
  OfThisProcess().Destroy(context.display, context.context);
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
    std::vector<EglContext> destroyed;
    EGLDisplay idle = EGL_NO_DISPLAY;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      const bool is_last = --members_ == 0;
      if (own) retired_.push_back(*own);
      if (!is_last || retired_.empty()) return absl::OkStatus();
      // NVIDIA's own driver; Nouveau's vendor is Mesa.
      if (!with_app_ && IsOfVendor(retired_[0].display, "NVIDIA")) {
        idle = retired_[0].display;
      } else {
        destroyed = std::exchange(retired_, {});
      }
    }
    for (const EglContext& context : destroyed) Destroy(context);
    if (idle == EGL_NO_DISPLAY) return absl::OkStatus();
    IdleGroups& groups = OfProcess<IdleGroups>();
    const std::lock_guard<std::mutex> lock(groups.mutex);
    groups.by_display[idle].push_back(shared_from_this());
    return absl::OkStatus();
  });
}

std::optional<EglContext> ShareGroup::TakeRetired(bool debug) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found =
      absl::c_find_if(retired_, [debug](const EglContext& context) {
        return context.debug == debug &&
               OfThisProcess().Forget(context.context);
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

// --- A context ---------------------------------------------------------------

namespace {

// Whether the error means that the context or its display was destroyed.
bool IsGone(EGLint error) {
  return error == EGL_CONTEXT_LOST || error == EGL_BAD_CONTEXT ||
         error == EGL_BAD_DISPLAY || error == EGL_NOT_INITIALIZED;
}

const char* ResetText(GLenum status) {
  return status == GL_GUILTY_CONTEXT_RESET_KHR ? "by commands of this context"
         : status == GL_INNOCENT_CONTEXT_RESET_KHR
             ? "by another context's commands"
             : "for a reason that the driver does not know";
}

absl::StatusOr<OpenedDisplay> Open(const ContextOptions& options) {
  return options.display == EGL_NO_DISPLAY ? OpenBestDisplay(options)
                                           : OpenDisplayOfApp(options);
}

}  // namespace

Context::Context(std::shared_ptr<ShareGroup> group)
    : share_group_(std::move(group)) {}

absl::StatusOr<std::unique_ptr<Context>> Context::Create(
    const ContextOptions& options) {
  RETURN_IF_ERROR(LoadGl());
  SavedCurrent saved;
  ASSIGN_OR_RETURN(OpenedDisplay opened, Open(options));
  return Own(std::move(opened));
}

absl::Status Context::CanCreate(const ContextOptions& options) {
  RETURN_IF_ERROR(LoadGl());
  SavedCurrent saved;
  return Open(options).status();
}

absl::StatusOr<std::unique_ptr<Context>> Context::CreateSharing(
    const Context& other) {
  SavedCurrent saved;
  ASSIGN_OR_RETURN(
      OpenedDisplay opened,
      OpenSharing(other.display_, {other.context_, other.share_group_}));
  opened.hardware_errors = other.hardware_errors_;
  auto context = Own(std::move(opened));
  if (context.ok()) (*context)->FlushWhenReleased();
  return context;
}

absl::StatusOr<std::unique_ptr<Context>> Context::Own(OpenedDisplay opened) {
  const auto& [group, own] = opened.context.get_deleter();
  std::unique_ptr<Context> context(new Context(group));
  context->display_ = own.display;
  context->context_ = own.context;
  context->draw_ = context->read_ = own.surface;
  context->owned_ = true;
  context->debug_ = own.debug;
  context->device_ = std::move(opened.device);
  context->hardware_errors_ = std::move(opened.hardware_errors);
  (void)opened.context.release();  // a member of the group, as before
  opened.use.Pin();
  if (context->debug_ && context->device_.Has("GL_KHR_debug")) {
    RETURN_IF_ERROR(context->Run([] {
      gl().Enable(GL_DEBUG_OUTPUT_KHR);
      // Messages come within the call that causes them, so that an error finds
      // its own message.
      gl().Enable(GL_DEBUG_OUTPUT_SYNCHRONOUS_KHR);
      StartDebugLog();
      return absl::OkStatus();
    }));
  }
  return context;
}

absl::StatusOr<std::unique_ptr<Context>> Context::AdoptCurrent() {
  RETURN_IF_ERROR(LoadGl());
  if (IsLeftCurrent(egl().GetCurrentContext())) {
    return FailedPrecondition(
        "no EGLContext of the app's is current on this thread; the one that is "
        "current belongs to another delegate");
  }
  std::unique_ptr<Context> context(
      new Context(std::make_shared<ShareGroup>(/*with_app=*/true)));
  context->share_group_->Join();
  context->display_ = egl().GetCurrentDisplay();
  context->context_ = egl().GetCurrentContext();
  context->draw_ = egl().GetCurrentSurface(EGL_DRAW);
  context->read_ = egl().GetCurrentSurface(EGL_READ);
  ASSIGN_OR_RETURN(DeviceInfo device, ReadDeviceInfo());
  PinDriver();
  context->device_ = std::move(device);
  return context;
}

bool Context::HasCurrent() {
  if (!LoadGl().ok()) return false;
  const EGLContext current = egl().GetCurrentContext();
  return current != EGL_NO_CONTEXT && !IsLeftCurrent(current);
}

Context::~Context() {
  if (!owned_) {
    share_group_->Leave(std::nullopt);
    return;
  }
  sibling_.reset();
  Release();
  const EglContext own = {display_, context_, draw_, debug_};
  if (lost_) Destroy(own);
  share_group_->Leave(lost_ ? std::nullopt : std::optional<EglContext>(own));
}

void Context::TakeShareGroupOf(const Context& other) {
  share_group_->Leave(std::nullopt);
  share_group_ = other.share_group_;
  share_group_->Join();
}

void Context::Unpin() {
  if (--pin_count_ == 0) Release();
}

void Context::Release() { ReleaseHere(display_, context_); }

absl::Status Context::MakeCurrent() {
  if (egl().MakeCurrent(display_, draw_, read_, context_)) {
    return absl::OkStatus();
  }
  EGLint error = egl().GetError();
  // An app may have closed the window that it had when it was adopted.
  if (error == EGL_BAD_SURFACE || error == EGL_BAD_NATIVE_WINDOW) {
    if (egl().MakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, context_)) {
      return absl::OkStatus();
    }
    error = egl().GetError();
  }
  if (owned_ && IsGone(error)) {
    lost_ = true;
    return absl::AbortedError(absl::StrCat(
        "the delegate's own EGLContext on ", device_.renderer,
        " is gone, as where its display is terminated: ", EglErrorText(error)));
  }
  return FailedPrecondition(
      "the ", owned_ ? "delegate's own" : "app's",
      " EGLContext could not be made current on this thread: ",
      EglErrorText(error));
}

absl::Status Context::Run(absl::FunctionRef<absl::Status()> fn) {
  if (!may_be_pinned_) return RunHere(fn);
  // EGL grants a context to one thread at a time, but the sibling of one that
  // is pinned to another.
  const std::thread::id me = std::this_thread::get_id();
  if (user_ == me) return RunHere(fn);
  std::thread::id nobody;
  if (!user_.compare_exchange_strong(nobody, me)) {
    return FailedPrecondition(
        "another thread is using the delegate's own EGLContext at this moment");
  }
  absl::Status status = Caught([&] { return RunHere(fn); });
  user_ = std::thread::id();
  return status;
}

absl::Status Context::RunHere(absl::FunctionRef<absl::Status()> fn) {
  const EGLContext current = egl().GetCurrentContext();
  if (current == context_ ||
      (sibling_ != nullptr && current == sibling_->context_)) {
    absl::Status status = RunCurrent(fn);
    if (pin_count_ > 0 && lost_ && !running_) Release();
    return status;
  }
  // A thread that has worked in the sibling stays there: some objects are not
  // shared.
  if (may_be_pinned_ && !IsOwnedHere(context_, sibling_ == nullptr)) {
    return RunInSibling(fn);
  }
  // Within another context's Run() that one is put back, whosever it is.
  const bool is_outermost = CurrentShareGroup() == 0;
  SavedCurrent saved;
  RETURN_IF_ERROR(MakeCurrent());
  absl::Status status = Caught([&] { return RunCurrent(fn); });
  if (pin_count_ > 0 && !lost_ && is_outermost && saved.had_none_of_app()) {
    saved.Forget();
    return status;
  }
  if (flushes_ && !lost_) gl().Flush();
  status.Update(saved.Restore(display_));
  return status;
}

absl::Status Context::RunInSibling(absl::FunctionRef<absl::Status()> fn) {
  if (sibling_ == nullptr) {
    ASSIGN_OR_RETURN(sibling_, CreateSharing(*this));
  }
  absl::Status status = sibling_->Run([&] { return RunCurrent(fn); });
  if (sibling_->is_lost() && !lost_) {
    reset_ = sibling_->reset_;
    lost_ = true;
  }
  return status;
}

absl::Status Context::RunCurrent(absl::FunctionRef<absl::Status()> fn) {
  const absl::Cleanup leave_group =
      [before = std::exchange(current_share_group, share_group_->id())] {
        current_share_group = before;
      };
  if (running_) return fn();
  RETURN_IF_ERROR(CheckReset());
  running_ = true;
  absl::Status status =
      Caught([&] { return owned_ ? fn() : WithAppState(device_, fn); });
  running_ = false;
  // A reset in the middle makes unrelated calls fail.
  if (!status.ok()) {
    if (absl::Status reset = CheckReset(); !reset.ok()) {
      return absl::AbortedError(
          absl::StrCat(reset.message(), "; meanwhile: ", status.message()));
    }
  }
  return status;
}

absl::Status Context::CheckReset() const {
  const GLenum reset = ResetStatus(device_);
  if (reset == GL_NO_ERROR && !lost_) return absl::OkStatus();
  if (!lost_) reset_ = reset;  // the driver says so once
  lost_ = true;
  return absl::AbortedError(
      absl::StrCat("the OpenGL ES context on ", device_.renderer, " was reset ",
                   ResetText(reset_), "; every object in it is gone"));
}

// --- The context that is current ---------------------------------------------

SavedCurrent::SavedCurrent() : api_(egl().QueryAPI()) {
  // Each API has its own current context; this saves and replaces that of ES.
  egl().BindAPI(EGL_OPENGL_ES_API);
  const EGLContext current = egl().GetCurrentContext();
  if (current != EGL_NO_CONTEXT && OfThisProcess().HasOrphan(current)) {
    MakeNoneCurrent(egl().GetCurrentDisplay());
  }
  display_ = egl().GetCurrentDisplay();
  draw_ = egl().GetCurrentSurface(EGL_DRAW);
  read_ = egl().GetCurrentSurface(EGL_READ);
  context_ = egl().GetCurrentContext();
}

SavedCurrent::~SavedCurrent() {
  if (!restored_) Restore(egl().GetCurrentDisplay()).IgnoreError();
}

void SavedCurrent::Forget() {
  restored_ = true;
  BindApiAgain(api_);
}

absl::Status SavedCurrent::Restore(EGLDisplay used) {
  restored_ = true;
  EGLBoolean ok = EGL_TRUE;
  if (egl().GetCurrentContext() != context_ ||
      egl().GetCurrentSurface(EGL_DRAW) != draw_ ||
      egl().GetCurrentSurface(EGL_READ) != read_) {
    ok = context_ != EGL_NO_CONTEXT
             ? egl().MakeCurrent(display_, draw_, read_, context_)
             : MakeNoneCurrent(used);
  }
  const EGLint error = ok ? EGL_SUCCESS : egl().GetError();
  // Ignores a context of the delegate whose display was terminated: its own
  // Run() will notice.
  if (!ok && IsLeftCurrent(context_)) ok = MakeNoneCurrent(used);
  BindApiAgain(api_);
  if (ok) return absl::OkStatus();
  return FailedPrecondition(
      "the EGLContext that was current before could not be made current "
      "again: ",
      EglErrorText(error));
}

GLenum ResetStatus(const DeviceInfo& device) {
  // A driver without its hardware (lab/drivers) gives any answer, and the
  // question itself makes Mesa take a context for lost.
  if (DebugHas("ignore_resets")) return GL_NO_ERROR;
  if (device.Has("GL_KHR_robustness")) return gl().GetGraphicsResetStatusKHR();
  return device.Has("GL_EXT_robustness") ? gl().GetGraphicsResetStatusEXT()
                                         : GL_NO_ERROR;
}

// --- A fence between contexts of one display ---------------------------------

void DisplayFence::Deleter::operator()(EGLSyncKHR sync) const {
  egl().DestroySyncKHR(display, sync);
}

absl::StatusOr<DisplayFence> DisplayFence::Insert(EGLDisplay display) {
  if (!HasEglExtension(egl().QueryString(display, EGL_EXTENSIONS),
                       "EGL_KHR_wait_sync")) {
    gl().Finish();
    return DisplayFence();
  }
  DisplayFence fence;
  fence.sync_ = {egl().CreateSyncKHR(display, EGL_SYNC_FENCE_KHR, nullptr),
                 Deleter{display}};
  if (fence.sync_ == nullptr) {
    return Internal("eglCreateSyncKHR: ", LastEglError());
  }
  gl().Flush();
  return fence;
}

absl::Status DisplayFence::WaitOnGpu() const {
  if (sync_ == nullptr ||
      egl().WaitSyncKHR(sync_.get_deleter().display, sync_.get(), 0)) {
    return absl::OkStatus();
  }
  return Internal("eglWaitSyncKHR: ", LastEglError());
}

}  // namespace gles_delegate::egl
