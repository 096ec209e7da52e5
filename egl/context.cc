#include "egl/context.h"

#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "egl/caught.h"
#include "egl/debug.h"
#include "egl/driver_use.h"
#include "egl/environment.h"
#include "egl/gl_state.h"
#include "egl/objects.h"
#include "egl/open_display.h"

namespace gles_delegate::egl {
namespace {

void StartDebugMessages() {
  gl().Enable(GL_DEBUG_OUTPUT_KHR);
  // Messages come within the call that causes them, so that an error finds its
  // own message.
  gl().Enable(GL_DEBUG_OUTPUT_SYNCHRONOUS_KHR);
}

// Whether the error means that the context or its display was destroyed.
bool IsGone(EGLint error) {
  return error == EGL_CONTEXT_LOST || error == EGL_BAD_CONTEXT ||
         error == EGL_BAD_DISPLAY || error == EGL_NOT_INITIALIZED;
}

const char* ResetText(GLenum status) {
  switch (status) {
    case GL_GUILTY_CONTEXT_RESET_KHR:
      return "by commands of this context";
    case GL_INNOCENT_CONTEXT_RESET_KHR:
      return "by another context's commands";
    default:
      return "for a reason that the driver does not know";
  }
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
  ContextOptions wanted = options;
  wanted.debug |= DebugIsOn();
  ASSIGN_OR_RETURN(OpenedDisplay opened, Open(wanted));
  return Own(std::move(opened));
}

absl::Status Context::CanCreate(const ContextOptions& options) {
  RETURN_IF_ERROR(LoadGl());
  SavedCurrent saved;
  return Open(options).status();
}

absl::StatusOr<std::unique_ptr<Context>> Context::CreateSharing(
    const Context& other, bool debug) {
  SavedCurrent saved;
  debug |= DebugIsOn();
  ASSIGN_OR_RETURN(
      OpenedDisplay opened,
      OpenSharing(other.display_, {other.context_, other.share_group_}, debug));
  opened.hardware_errors = other.hardware_errors_;
  auto context = Own(std::move(opened));
  if (context.ok()) (*context)->FlushWhenReleased();
  return context;
}

absl::StatusOr<std::unique_ptr<Context>> Context::Own(OpenedDisplay opened) {
  const EglContext& own = opened.context.own();
  std::unique_ptr<Context> context(new Context(opened.context.group()));
  context->display_ = own.display;
  context->context_ = own.context;
  context->draw_ = context->read_ = own.surface;
  context->owned_ = true;
  context->debug_ = own.debug;
  context->device_ = std::move(opened.device);
  context->hardware_errors_ = std::move(opened.hardware_errors);
  opened.context.Release();
  if (context->debug_ && context->device_.Has("GL_KHR_debug")) {
    RETURN_IF_ERROR(context->Run([] {
      StartDebugMessages();
      if (DebugIsOn()) StartDebugLog();
      return absl::OkStatus();
    }));
  }
  return context;
}

absl::StatusOr<std::unique_ptr<Context>> Context::AdoptCurrent() {
  RETURN_IF_ERROR(LoadGl());
  if (IsLeftCurrent(egl().GetCurrentContext())) {
    return absl::FailedPreconditionError(
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

void Context::Release() { egl::Release(display_, context_); }

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
  return absl::FailedPreconditionError(
      absl::StrCat("the ", owned_ ? "delegate's own" : "app's",
                   " EGLContext could not be made current on this thread: ",
                   EglErrorText(error)));
}

absl::Status Context::Run(absl::FunctionRef<absl::Status()> fn) {
  if (!may_be_pinned_) return RunHere(fn);
  // EGL grants a context to one thread at a time, but the sibling of one that
  // is pinned to another.
  const std::thread::id me = std::this_thread::get_id();
  if (user_ == me) return RunHere(fn);
  std::thread::id nobody;
  if (!user_.compare_exchange_strong(nobody, me)) {
    return absl::FailedPreconditionError(
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
    ASSIGN_OR_RETURN(sibling_, CreateSharing(*this, /*debug=*/false));
  }
  absl::Status status = sibling_->Run([&] { return RunCurrent(fn); });
  if (sibling_->is_lost() && !lost_) {
    reset_ = sibling_->reset_;
    lost_ = true;
  }
  return status;
}

absl::Status Context::RunCurrent(absl::FunctionRef<absl::Status()> fn) {
  const ScopedShareGroup in_group(share_group_->id());
  if (running_) return fn();
  RETURN_IF_ERROR(CheckReset());
  running_ = true;
  absl::Status status = Caught([&] {
    if (owned_) return fn();
    const GlState state(device_);
    absl::Status ran = Caught(fn);
    state.Restore();
    return ran;
  });
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
  ReleaseOrphan();
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
  // EGL_NONE: a library without OpenGL ES, which has nothing to go back to.
  if (api_ != EGL_NONE) egl().BindAPI(api_);
}

absl::Status SavedCurrent::Restore(EGLDisplay used) {
  restored_ = true;
  EGLBoolean ok = EGL_TRUE;
  if (egl().GetCurrentContext() != context_ ||
      egl().GetCurrentSurface(EGL_DRAW) != draw_ ||
      egl().GetCurrentSurface(EGL_READ) != read_) {
    ok = context_ != EGL_NO_CONTEXT
             ? egl().MakeCurrent(display_, draw_, read_, context_)
             : egl().MakeCurrent(used, EGL_NO_SURFACE, EGL_NO_SURFACE,
                                 EGL_NO_CONTEXT);
  }
  const EGLint error = ok ? EGL_SUCCESS : egl().GetError();
  // Ignores a context of the delegate whose display was terminated: its own
  // Run() will notice.
  if (!ok && IsLeftCurrent(context_)) {
    ok =
        egl().MakeCurrent(used, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
  }
  // EGL_NONE: a library without OpenGL ES, which has nothing to go back to.
  if (api_ != EGL_NONE) egl().BindAPI(api_);
  if (ok) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "the EGLContext that was current before could not be made current "
      "again: ",
      EglErrorText(error)));
}

GLenum ResetStatus(const DeviceInfo& device) {
  // A driver without its hardware (lab/drivers) gives any answer, and the
  // question itself makes Mesa take a context for lost.
  if (DebugHas("ignore_resets")) return GL_NO_ERROR;
  if (device.Has("GL_KHR_robustness")) {
    return gl().GetGraphicsResetStatusKHR();
  }
  return device.Has("GL_EXT_robustness") ? gl().GetGraphicsResetStatusEXT()
                                         : GL_NO_ERROR;
}

// --- A fence between contexts of one display ---------------------------------

DisplayFence::DisplayFence(DisplayFence&& other) noexcept
    : display_(other.display_),
      sync_(std::exchange(other.sync_, EGL_NO_SYNC_KHR)) {}

DisplayFence& DisplayFence::operator=(DisplayFence&& other) noexcept {
  std::swap(display_, other.display_);
  std::swap(sync_, other.sync_);
  return *this;
}

DisplayFence::~DisplayFence() {
  if (sync_ != EGL_NO_SYNC_KHR) egl().DestroySyncKHR(display_, sync_);
}

absl::StatusOr<DisplayFence> DisplayFence::Insert(EGLDisplay display) {
  if (!HasEglExtension(egl().QueryString(display, EGL_EXTENSIONS),
                       "EGL_KHR_wait_sync")) {
    gl().Finish();
    return DisplayFence();
  }
  DisplayFence fence;
  fence.display_ = display;
  fence.sync_ = egl().CreateSyncKHR(display, EGL_SYNC_FENCE_KHR, nullptr);
  if (fence.sync_ == EGL_NO_SYNC_KHR) {
    return absl::InternalError(
        absl::StrCat("eglCreateSyncKHR: ", LastEglError()));
  }
  gl().Flush();
  return fence;
}

absl::Status DisplayFence::WaitOnGpu() const {
  if (sync_ == EGL_NO_SYNC_KHR) return absl::OkStatus();
  if (egl().WaitSyncKHR(display_, sync_, 0)) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("eglWaitSyncKHR: ", LastEglError()));
}

}  // namespace gles_delegate::egl
