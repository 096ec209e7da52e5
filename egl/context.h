// An OpenGL ES 3.1 context without a surface, made here or borrowed: the
// contexts that share its objects, threads that it is pinned to, and fences.
#ifndef GLES_DELEGATE_EGL_CONTEXT_H_
#define GLES_DELEGATE_EGL_CONTEXT_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "egl/device_info.h"
#include "egl/gl_api.h"

namespace gles_delegate::egl {

// --- Contexts that share objects ---------------------------------------------

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
  const uint64_t id_;
  const bool with_app_;
  std::mutex mutex_;
  int members_ = 0;
  std::vector<EglContext> retired_;
};

// A member's own context. Leaves the group, with the context, when it is
// destroyed.
struct LeaveGroup {
  std::shared_ptr<ShareGroup> group;
  EglContext own;
  void operator()(EGLContext) const { group->Leave(own); }
};
using OwnContext = std::unique_ptr<void, LeaveGroup>;  // an EGLContext

// --- Contexts that stay current ----------------------------------------------

// Pinned contexts: the delegate's own, which stay current on a thread between
// calls (Context::Pin). Each has an owner, the only thread on which it may be
// current. If it is destroyed while current on its owner by another thread, it
// is an orphan: EGL keeps it until the owner releases it.

// Whether `context`, current on this thread now or before a Run(), was left
// current by a Run() and is not the app's.
bool IsLeftCurrent(EGLContext context);

// False if a context that stays current could disturb the app: if the
// environment variable DISPLAY is set, the app may make a GLX context current
// on the thread, which libglvnd refuses while an EGL context is current there.
bool MayStayCurrent();

// --- A context ---------------------------------------------------------------

struct ContextOptions {
  // Which GPU: "" (hardware first, software last), an index into
  // ListDisplays(), or part of a renderer's name, vendor's name or display's
  // description, ignoring case ("nvidia", "llvmpipe", "/dev/dri/renderD128").
  // If empty, the environment variable GLES_DELEGATE_DEVICE applies.
  std::string device;
  // The app's display, initialized or not, to use exclusively. EGL_NO_DISPLAY:
  // any.
  EGLDisplay display = EGL_NO_DISPLAY;
  // False: creation fails if there is only a software renderer.
  bool allow_software = true;
};

// The result of opening one display, for errors and for `--list_devices`.
struct DisplayReport {
  int index = 0;
  // "EGL device 0 (/dev/dri/renderD128)", "surfaceless", ...
  std::string description;
  std::string renderer;  // empty if the display could not be opened
  std::string version;
  bool software = false;
  std::string error;  // empty if a context could be made
};

// Opens every display one after the other (EGL devices, surfaceless, GBM,
// default) and reports each. Restores the current context; terminates displays
// that were not initialised before (egl/gl_api.h).
std::vector<DisplayReport> ListDisplays();

// "; cannot open FILE: Permission denied" if this process may not read and
// write `file`, else "".
std::string AccessObstacle(const std::string& file);

struct OpenedDisplay {
  DisplayUse use;
  OwnContext context;
  DeviceInfo device;
  std::string hardware_errors;  // as Context::hardware_errors()
};

// Opens displays until one is hardware and matches `options` and
// GLES_DELEGATE_DEVICE; otherwise takes the first software renderer that
// matches, if `options` allow it. kUnavailable, with a line for each display
// tried. Needs LoadGl() and the OpenGL ES API bound (SavedCurrent does it).
absl::StatusOr<OpenedDisplay> OpenBestDisplay(const ContextOptions& options);

// Opens the display given in `options`. kUnavailable, with EGL's reason, or if
// it does not match `options` and GLES_DELEGATE_DEVICE. Same requirements.
absl::StatusOr<OpenedDisplay> OpenDisplayOfApp(const ContextOptions& options);

// A context to share objects with, and its group; nothing: a new group.
struct SharedWith {
  EGLContext context = EGL_NO_CONTEXT;
  std::shared_ptr<ShareGroup> group;
};

// A context on `display` that shares objects with `shared`, which may be
// current on another thread. kUnavailable, with EGL's reason. Same
// requirements.
absl::StatusOr<OpenedDisplay> OpenSharing(EGLDisplay display,
                                          const SharedWith& shared);

// --- What is saved of an app's context ---------------------------------------

// The delegate uses only the first binding points of each kind, up to these
// numbers or the device's, and only these are saved. ProfileFor()
// (delegate/device/device_profile.cc) makes them limits of planning; validation
// mode checks each dispatch.
inline constexpr int kTextureUnits = 16;
inline constexpr int kImageUnits = 16;
inline constexpr int kStorageBuffers = 16;
inline constexpr int kUniformBuffers = 1;  // Params

// Runs fn between saving and restoring the state of the current context, an
// app's.
//
// Not saved, since the delegate never changes it: vertex and fragment state,
// other texture targets, queries, transform feedback (which must be inactive or
// paused), the app's debug callback. Pending GL errors of the app are dropped,
// so that they are not taken for the delegate's. An object that the app deleted
// while it was bound is gone afterwards.
absl::Status WithAppState(const DeviceInfo& device,
                          absl::FunctionRef<absl::Status()> fn);

// --- A context that the delegate works in ------------------------------------

// An EGLContext: Create() makes and owns one; AdoptCurrent() borrows the
// caller's, which must outlive this object. The display is never terminated,
// since the app may share it. Threads: Run() on one thread at a time; a second
// thread is refused.
class Context {
 public:
  // Prefers hardware on any display to software on all. kUnavailable: lists
  // each display tried with the reason, names the missing library, or, without
  // allow_software, the software renderer found.
  static absl::StatusOr<std::unique_ptr<Context>> Create(
      const ContextOptions& options);

  // The status of Create(), without keeping the context. Leaves nothing of the
  // driver behind (egl/gl_api.h).
  static absl::Status CanCreate(const ContextOptions& options);

  // A context on `other`'s display, new or one of a destroyed Context, that
  // shares buffers, textures, programs and fences with it. `other` may be
  // current on another thread. kUnavailable, with EGL's error, if EGL refuses.
  static absl::StatusOr<std::unique_ptr<Context>> CreateSharing(
      const Context& other);

  // kFailedPrecondition: no context is current on this thread, or it is not
  // OpenGL ES 3.1 or later.
  static absl::StatusOr<std::unique_ptr<Context>> AdoptCurrent();

  // True if the app's EGLContext is current on this thread, rather than one
  // that a Run() left current.
  static bool HasCurrent();

  ~Context();

  // Runs fn with this context current (or its sibling: Pin()), then
  // restores the previous one. In a borrowed context, the GL state that the app
  // can see (program, textures, samplers, images, buffers with their ranges,
  // pack and unpack state, active unit, framebuffers) is restored too;
  // WithAppState() lists the exceptions. Nested calls are almost free.
  //
  // kFailedPrecondition, with EGL's error: the context cannot be made current
  // here, since it is current on another thread or the app destroyed it.
  // kAborted: the context is lost. Either it was reset (GL_KHR_robustness)
  // during fn, or before fn, which then does not run; or it is an own context
  // and its display was terminated. A lost context stays lost: make another.
  absl::Status Run(absl::FunctionRef<absl::Status()> fn);

  // From now on Run() leaves the context current on the first thread that calls
  // it, its owner, unless a context of the app is current there. Making a
  // context current and releasing it costs time, and on some drivers waits for
  // the GPU. It is released when it is lost or the owner ends. On other threads
  // Run() uses a second context, the sibling, which shares objects with this
  // one, is made on demand and is released after each call. If the owner ends
  // and there is no sibling, the next thread becomes the owner. While one
  // thread is in Run(), others are refused (kFailedPrecondition). Calls are
  // counted.
  void Pin() {
    ++pin_count_;
    may_be_pinned_ = true;
  }
  // To be called once for each Pin(). The last call releases the context if it
  // is current on this thread.
  void Unpin();

  // From now on Run() flushes before it releases the context, so that contexts
  // that share objects see its writes. CreateSharing() calls this for the new
  // context.
  void FlushWhenReleased() { flushes_ = true; }

  // kAborted if the context was reset. Call it within Run() before using
  // results of the GPU: after a reset fences are signalled and reads succeed.
  absl::Status CheckReset() const;

  // Whether Run() or CheckReset() found the context lost; and if so, whether
  // its own commands may be the cause (and not another context's).
  bool is_lost() const { return lost_; }
  bool is_guilty() const {
    return lost_ && reset_ != GL_INNOCENT_CONTEXT_RESET_KHR;
  }

  // Contexts with the same number share objects (CurrentShareGroup()).
  uint64_t share_group() const { return share_group_->id(); }
  // Records that both contexts borrow the same EGLContext and so share objects,
  // which EGL cannot tell. Call it before making objects in the context.
  void TakeShareGroupOf(const Context& other);

  const DeviceInfo& device() const { return device_; }
  bool owned() const { return owned_; }
  // If software was chosen: why each hardware display could not be opened, as
  // "GBM /dev/dri/renderD128: cannot open /dev/dri/renderD128: Permission
  // denied; ...". Empty on hardware and for a borrowed context.
  const std::string& hardware_errors() const { return hardware_errors_; }
  EGLDisplay display() const { return display_; }
  EGLContext handle() const { return context_; }

 private:
  explicit Context(std::shared_ptr<ShareGroup> group);

  // Takes ownership of the context, and enables debug messages if DebugIsOn()
  // and it has them.
  static absl::StatusOr<std::unique_ptr<Context>> Own(OpenedDisplay opened);
  absl::Status MakeCurrent();
  void Release();
  // Run() on the thread that is allowed to.
  absl::Status RunHere(absl::FunctionRef<absl::Status()> fn);
  // Runs fn on a thread that is not the owner.
  absl::Status RunInSibling(absl::FunctionRef<absl::Status()> fn);
  // Runs fn with this context already current.
  absl::Status RunCurrent(absl::FunctionRef<absl::Status()> fn);

  EGLDisplay display_ = EGL_NO_DISPLAY;
  EGLContext context_ = EGL_NO_CONTEXT;
  EGLSurface draw_ = EGL_NO_SURFACE;  // a 1x1 pbuffer, or the app's surface
  EGLSurface read_ = EGL_NO_SURFACE;
  bool owned_ = false;
  bool debug_ = false;
  bool flushes_ = false;        // FlushWhenReleased()
  int pin_count_ = 0;           // calls of Pin() without an Unpin() yet
  bool may_be_pinned_ = false;  // Pin() was called
  // If pinned: the thread that is in Run(), if any.
  std::atomic<std::thread::id> user_ = {};
  std::unique_ptr<Context> sibling_;  // used only by that thread
  std::shared_ptr<ShareGroup> share_group_;
  // Only the thread in Run() changes the next three: user_ identifies it for
  // pinned contexts, and EGL allows one thread at a time for others. Any thread
  // may read lost_.
  bool running_ = false;  // within Run: nested calls return early
  mutable std::atomic<bool> lost_ = false;  // all objects are gone
  mutable GLenum reset_ = GL_INNOCENT_CONTEXT_RESET_KHR;  // if lost
  DeviceInfo device_;
  std::string hardware_errors_;
};

// --- The context that is current ---------------------------------------------

// Saves this thread's EGL API, display, surfaces and OpenGL ES context, and
// binds the OpenGL ES API. Releases an orphan first.
// Restore() or the destructor restores all of it, on the same thread. Needs
// LoadGl().
class SavedCurrent {
 public:
  SavedCurrent();
  ~SavedCurrent();
  SavedCurrent(const SavedCurrent&) = delete;
  SavedCurrent& operator=(const SavedCurrent&) = delete;

  // `used`: an initialised display, through which the current context is
  // released if there was none before; EGL_NO_DISPLAY if nothing was made
  // current. kFailedPrecondition, with EGL's error.
  absl::Status Restore(EGLDisplay used);

  // Whether no OpenGL ES context was current, or one that a Run() left current.
  bool had_none_of_app() const {
    return context_ == EGL_NO_CONTEXT || IsLeftCurrent(context_);
  }
  // Keeps the current context and rebinds the previous API.
  void Forget();

 private:
  EGLenum api_;
  EGLDisplay display_;
  EGLSurface draw_;
  EGLSurface read_;
  EGLContext context_;
  bool restored_ = false;
};

// The current context's reset status, of a driver that reports it.
// GL_NO_ERROR: it is not lost, or was asked before.
GLenum ResetStatus(const DeviceInfo& device);

// --- A fence between contexts of one display ---------------------------------

// Whether or not they share objects. Move-only; an empty fence is a no-op.
// Threads: any, one at a time; may be destroyed with any context current, or
// none.
class DisplayFence {
 public:
  // A fence behind all earlier commands of `display`'s context that is current
  // on this thread; flushes them. Without EGL_KHR_wait_sync the CPU waits for
  // the commands here and the fence is empty. kInternal, with EGL's error.
  static absl::StatusOr<DisplayFence> Insert(EGLDisplay display);

  // Makes later commands of the context that is current on this thread wait for
  // the fence on the GPU. kInternal, with EGL's error.
  absl::Status WaitOnGpu() const;

 private:
  struct Deleter {
    EGLDisplay display;
    void operator()(EGLSyncKHR sync) const;
  };
  std::unique_ptr<void, Deleter> sync_;  // an EGLSyncKHR
};

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_EGL_CONTEXT_H_
