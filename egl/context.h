// An OpenGL ES 3.1 context without a surface: made here, or borrowed.
#ifndef GLES_DELEGATE_EGL_CONTEXT_H_
#define GLES_DELEGATE_EGL_CONTEXT_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
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
// reports each. Restores what was current.
std::vector<DisplayReport> ListDisplays();

struct OpenedDisplay;

// Ownership: Create() destroys its EGLContext; AdoptCurrent() borrows the
// caller's, which must outlive it. No display is ever terminated: somebody else
// may share it.
// Threads: current on one thread at a time; Run() refuses a second (EGL does).
class Context {
 public:
  // Hardware on any display wins over software on all. kUnavailable, with a
  // line for each display tried and why it failed, or naming the library that
  // is missing; or, without allow_software, the software that there is.
  static absl::StatusOr<std::unique_ptr<Context>> Create(
      const ContextOptions& options);

  // A context of our own on `other`'s display that shares objects with it:
  // buffers, textures, programs, fences. `other` may be current on another
  // thread meanwhile. kUnavailable, with EGL's error: EGL allows none.
  static absl::StatusOr<std::unique_ptr<Context>> CreateSharing(
      const Context& other, bool debug);

  // kFailedPrecondition: no context is current on this thread, or it is not
  // OpenGL ES 3.1 or later.
  static absl::StatusOr<std::unique_ptr<Context>> AdoptCurrent();

  // True where this thread has a current EGLContext that is the app's: none
  // that KeepCurrent() left behind.
  static bool HasCurrent();

  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // Runs fn with this context current, then restores what was current before.
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

  // From here on Run() leaves the context current on the thread that calls
  // Run(), where nothing was current there. Later calls need not make the
  // context current and let it go, which on some drivers waits for the GPU. No
  // other thread can use the context from then on, so this is for a context
  // that one thread alone uses. A lost context is let go. Several callers may
  // ask for this.
  void KeepCurrent() { ++keepers_; }
  // Each caller of KeepCurrent() calls this once, on the thread that has the
  // context current. The last call lets the context go: another thread may be
  // the context's last owner, and a context that is current stays in memory.
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
  // fn, with this context current already.
  absl::Status RunCurrent(absl::FunctionRef<absl::Status()> fn);

  EGLDisplay display_ = EGL_NO_DISPLAY;
  EGLContext context_ = EGL_NO_CONTEXT;
  EGLSurface draw_ = EGL_NO_SURFACE;  // a 1x1 pbuffer, or the app's surface
  EGLSurface read_ = EGL_NO_SURFACE;
  bool owned_ = false;
  bool flushes_ = false;  // FlushWhenLetGo()
  int keepers_ = 0;       // that asked for KeepCurrent()
  uint64_t share_group_;
  // The three below are changed only by a thread that has the context current,
  // or tries to: EGL grants it to one thread at a time. Any thread may ask
  // whether the context is lost.
  bool running_ = false;  // within Run, so that a nested one is free
  mutable std::atomic<bool> lost_ = false;  // every object is gone, for good
  mutable GLenum reset_ = GL_INNOCENT_CONTEXT_RESET_KHR;  // of a lost one
  DeviceInfo device_;
  std::string hardware_errors_;
};

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_EGL_CONTEXT_H_
