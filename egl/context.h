// An OpenGL ES 3.1 context without a surface: made here, or borrowed.
#ifndef GLES_DELEGATE_EGL_CONTEXT_H_
#define GLES_DELEGATE_EGL_CONTEXT_H_

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
  // description, matched without case ("nvidia", "llvmpipe", "/dev/dri/renderD128").
  // The environment variable GLES_DELEGATE_DEVICE stands in where this is empty.
  std::string device;
  // Ask for GL debug messages (KHR_debug), which then appear in errors.
  bool debug = false;
};

// One way to a display, as tried, for errors and for `--list_devices`.
struct DisplayReport {
  int index = 0;
  std::string description;  // "EGL device 0 (/dev/dri/renderD128)", "surfaceless", ...
  std::string renderer;     // empty where it could not be opened
  std::string version;
  bool software = false;
  std::string error;        // empty where a context could be made
};

// Opens every display in turn (EGL devices, surfaceless, GBM, default) and
// reports each. Restores what was current.
std::vector<DisplayReport> ListDisplays();

// Ownership: Create() destroys its EGLContext; AdoptCurrent() borrows the
// caller's, which must outlive it. No display is ever terminated: somebody else
// may share it.
// Threads: current on one thread at a time; Run() refuses a second (EGL does).
class Context {
 public:
  // kUnavailable, with a line for each display tried and why it failed.
  static absl::StatusOr<std::unique_ptr<Context>> Create(
      const ContextOptions& options);

  // kFailedPrecondition: no context is current on this thread, or it is not
  // OpenGL ES 3.1 or later.
  static absl::StatusOr<std::unique_ptr<Context>> AdoptCurrent();

  // True where this thread has a current EGLContext.
  static bool HasCurrent();

  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // Runs fn with this context current, then restores what was current before.
  // In a borrowed context the GL state that the app can see (program, textures,
  // samplers, images, buffers with their ranges, pack and unpack state, active
  // unit) is restored too. Nested calls on one thread are free.
  // kFailedPrecondition: the context could not be made current here (it is
  // current on another thread, or lost), with EGL's error. kAborted: the
  // context was reset (GL_KHR_robustness), fn did not run.
  absl::Status Run(absl::FunctionRef<absl::Status()> fn);

  const DeviceInfo& device() const { return device_; }
  bool owned() const { return owned_; }
  EGLDisplay display() const { return display_; }
  EGLContext handle() const { return context_; }

 private:
  Context() = default;

  EGLDisplay display_ = EGL_NO_DISPLAY;
  EGLContext context_ = EGL_NO_CONTEXT;
  EGLSurface draw_ = EGL_NO_SURFACE;  // a 1x1 pbuffer, or the app's surface
  EGLSurface read_ = EGL_NO_SURFACE;
  bool owned_ = false;
  int depth_ = 0;  // nesting of Run on the thread that is in it
  DeviceInfo device_;
};

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_EGL_CONTEXT_H_
