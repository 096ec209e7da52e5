// An OpenGL ES 3.1 context without a surface: made here, or borrowed.
#ifndef GLES_DELEGATE_EGL_CONTEXT_H_
#define GLES_DELEGATE_EGL_CONTEXT_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "egl/device_info.h"
#include "egl/gl_api.h"

namespace gles_delegate::egl {

struct ContextOptions {
  // Which GPU: "" (hardware first, software last), an index into
  // ListDisplays(), or a part of a renderer's name, vendor's name or display's
  // description, matched without case ("nvidia", "llvmpipe",
  // "/dev/dri/renderD128"). The environment variable GLES_DELEGATE_DEVICE
  // stands in where this is empty.
  std::string device;
  // The app's, initialized or not, and no other one. EGL_NO_DISPLAY: any.
  EGLDisplay display = EGL_NO_DISPLAY;
  // False: where there is no hardware, there is no context.
  bool allow_software = true;
  // Ask for GL debug messages (KHR_debug), which then appear in errors. The
  // environment variable GLES_DELEGATE_DEBUG=1 does, too (egl/debug.h).
  bool debug = false;
};

// One way to a display, as tried, for errors and for `--list_devices`.
struct DisplayReport {
  int index = 0;
  // "EGL device 0 (/dev/dri/renderD128)", "surfaceless", ...
  std::string description;
  std::string renderer;  // empty where it could not be opened
  std::string version;
  bool software = false;
  std::string error;  // empty where a context could be made
};

// Opens every display in turn (EGL devices, surfaceless, GBM, default) and
// reports each. Restores what was current; of displays that were not
// initialised before, leaves nothing behind (egl/driver_use.h).
std::vector<DisplayReport> ListDisplays();

struct OpenedDisplay;

// Ownership: Create() destroys its EGLContext; AdoptCurrent() borrows the
// caller's, which must outlive it. The display of a context is never
// terminated: the app may share it. Threads: Run() on one thread at a time; a
// second one is refused.
class Context {
 public:
  // Hardware on any display wins over software on all. kUnavailable, with a
  // line for each display tried and why it failed, or naming the library that
  // is missing; or, without allow_software, the software that there is.
  static absl::StatusOr<std::unique_ptr<Context>> Create(
      const ContextOptions& options);

  // Ok, or what Create() would give. Leaves nothing of the driver behind
  // (egl/driver_use.h).
  static absl::Status CanCreate(const ContextOptions& options);

  // A context of our own on `other`'s display that shares objects with it:
  // buffers, textures, programs, fences. `other` may be current on another
  // thread meanwhile. kUnavailable, with EGL's error: EGL allows none.
  static absl::StatusOr<std::unique_ptr<Context>> CreateSharing(
      const Context& other, bool debug);

  // kFailedPrecondition: no context is current on this thread, or it is not
  // OpenGL ES 3.1 or later.
  static absl::StatusOr<std::unique_ptr<Context>> AdoptCurrent();

  // True where this thread has a current EGLContext that is the app's: none
  // that a Run() left current.
  static bool HasCurrent();

  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // Runs fn with this context current (or its sibling: KeepCurrent()), then
  // restores what was current before.
  // In a borrowed context the GL state that the app can see (program, textures,
  // samplers, images, buffers with their ranges, pack and unpack state, active
  // unit, framebuffers) is restored too; egl/gl_state.h says what is not.
  // Cost, on llvmpipe (Mesa 22.3, a 2.5 GHz Xeon): 2.3 us where the context has
  // to be made current and let go, 2.3 us in a borrowed context that is current
  // already (its state saved and restored), 0.2 us for a nested call.
  // kFailedPrecondition: the context could not be made current here (it is
  // current on another thread, or the app has destroyed it), with EGL's error.
  // kAborted: the context is lost. It was reset (GL_KHR_robustness) before fn,
  // which then did not run, or while fn failed; or it is our own, and its
  // display was terminated. A context that was lost stays so: make another.
  absl::Status Run(absl::FunctionRef<absl::Status()> fn);

  // From here on Run() leaves the context current on the thread that calls it
  // first, its keeper, where nothing was current there but what the Run() of
  // another such context left. Later calls need not make the context current
  // and let it go, which on some drivers waits for the GPU. It is let go where
  // it is lost, and when the keeper ends. Any other thread's Run() takes place
  // in a second context, the sibling, which shares objects with this one, is
  // made when it is first needed, and is let go each time. Where there is no
  // sibling when the keeper ends, the next thread becomes the keeper. While one
  // thread is in Run(), others are refused (kFailedPrecondition). Several
  // callers may ask for this.
  void KeepCurrent() {
    ++keep_count_;
    may_be_kept_ = true;
  }
  // Each caller of KeepCurrent() calls this once. The last call lets the
  // context go where it is current on this thread.
  void StopKeepingCurrent();

  // From here on Run() flushes before it lets the context go: contexts that
  // share objects with this one are to see what it wrote. CreateSharing() asks
  // for it itself, for the new context.
  void FlushWhenLetGo() { flushes_ = true; }

  // kAborted where the context was reset, as Run() says. Within Run(), for
  // whoever takes what the GPU wrote for an answer: after a reset fences are
  // signalled and reads succeed.
  absl::Status CheckReset() const;

  // Whether Run() or CheckReset() found the context lost, and, where it was,
  // whether its own commands may be to blame (no other context's are).
  bool is_lost() const { return lost_; }
  bool is_guilty() const {
    return lost_ && reset_ != GL_INNOCENT_CONTEXT_RESET_KHR;
  }

  // Contexts of one number share objects (CurrentShareGroup()).
  uint64_t share_group() const { return share_group_; }
  // Takes note that the context shares objects with `other`, as both borrow the
  // same EGLContext: EGL does not tell. To be called before anything is made in
  // the context.
  void TakeShareGroupOf(const Context& other) {
    share_group_ = other.share_group_;
  }

  const DeviceInfo& device() const { return device_; }
  bool owned() const { return owned_; }
  // Where software was taken: why each display of hardware could not be opened,
  // "GBM /dev/dri/renderD128: cannot open /dev/dri/renderD128: Permission
  // denied; ...". "" on hardware, and for a borrowed context.
  const std::string& hardware_errors() const { return hardware_errors_; }
  EGLDisplay display() const { return display_; }
  EGLContext handle() const { return context_; }

 private:
  Context();

  // Takes the context over, and turns debug messages on where they are wanted.
  static absl::StatusOr<std::unique_ptr<Context>> Own(OpenedDisplay opened,
                                                      bool debug,
                                                      uint64_t share_group);
  absl::Status MakeCurrent();
  void LetGo();
  // Run(), of the one thread that may.
  absl::Status RunHere(absl::FunctionRef<absl::Status()> fn);
  // fn, on a thread that is not the keeper.
  absl::Status RunInSibling(absl::FunctionRef<absl::Status()> fn);
  // fn, with this context current already.
  absl::Status RunCurrent(absl::FunctionRef<absl::Status()> fn);

  EGLDisplay display_ = EGL_NO_DISPLAY;
  EGLContext context_ = EGL_NO_CONTEXT;
  EGLSurface draw_ = EGL_NO_SURFACE;  // a 1x1 pbuffer, or the app's surface
  EGLSurface read_ = EGL_NO_SURFACE;
  bool owned_ = false;
  bool flushes_ = false;      // FlushWhenLetGo()
  int keep_count_ = 0;        // callers of KeepCurrent() that have not stopped
  bool may_be_kept_ = false;  // KeepCurrent() was called
  // Of one that may be kept: the thread that is in Run(); none: no thread is.
  std::atomic<std::thread::id> user_ = {};
  std::unique_ptr<Context> sibling_;  // touched by that thread alone
  uint64_t share_group_;
  // The three below are changed only by the thread that is in Run(), or tries
  // to be: of a context that may be kept user_ says which, of another EGL
  // grants it to one thread at a time. Any thread may ask whether the context
  // is lost.
  bool running_ = false;  // within Run, so that a nested one is free
  mutable std::atomic<bool> lost_ = false;  // every object is gone, for good
  mutable GLenum reset_ = GL_INNOCENT_CONTEXT_RESET_KHR;  // of a lost one
  DeviceInfo device_;
  std::string hardware_errors_;
};

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_EGL_CONTEXT_H_
