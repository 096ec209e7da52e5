// The GL ES 3.1 and EGL 1.5 entry points, loaded at run time, and who uses the
// driver in this process.
//
// Nothing is linked, so that the delegate can be loaded without libEGL.so.1 and
// report that it is missing. The tables are filled once per process and never
// change, except where tests inject faults.
#ifndef GLES_DELEGATE_EGL_GL_API_H_
#define GLES_DELEGATE_EGL_GL_API_H_

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl31.h>
// Extension types without GL_APICALL (timer queries, debug, buffer storage).
#include <GLES2/gl2ext.h>
#include <sys/types.h>

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace gles_delegate::egl {

// One member per function of gl_functions.inc, without its prefix:
// gl().DispatchCompute(x, y, z), egl().MakeCurrent(...). Extension functions
// may be null, and may be set although the driver lacks the extension: ask
// DeviceInfo::Has() first.
//
// The macros declare members; parentheses around the name would break that.
// NOLINTBEGIN(bugprone-macro-parentheses)
struct GlApi {
#define GL_REQUIRED(name) decltype(&::gl##name) name = nullptr;
#define GL_OPTIONAL(name, type) type name = nullptr;
#include "egl/gl_functions.inc"
};

struct EglApi {
#define EGL_REQUIRED(name) decltype(&::egl##name) name = nullptr;
#define EGL_OPTIONAL(name, type) type name = nullptr;
#include "egl/gl_functions.inc"
};
// NOLINTEND(bugprone-macro-parentheses)

// Loads libEGL.so.1 and libGLESv2.so.2. The environment variable
// GLES_DELEGATE_EGL_LIBRARY names another libEGL (such as ANGLE's), whose own
// GL entry points then take precedence. Thread-safe, idempotent. kUnavailable,
// with the missing library and the loader's message; kFailedPrecondition:
// CheckDriverProcess().
absl::Status LoadGl();

// Valid after LoadGl() returned OK.
const GlApi& gl();
const EglApi& egl();

// The mutable tables, for fault injection in tests only
// (tests/testing/driver_faults.h).
GlApi& MutableGlForTesting();
EglApi& MutableEglForTesting();

// --- EGL's answers -----------------------------------------------------------

// "EGL_BAD_ACCESS (the context is current on another thread)", or the number of
// an unknown code.
std::string EglErrorText(EGLint error);

// The text of eglGetError(), for this thread's last EGL call.
std::string LastEglError();

// True if the space-separated list `extensions` contains exactly `name`.
bool HasEglExtension(const char* extensions, absl::string_view name);

// --- Mesa beside another LLVM ------------------------------------------------

// In a process that exports another LLVM, as the package tensorflow does
// (libtensorflow_framework), the functions of Mesa's libLLVM are found by name,
// so Mesa would call the other's, and crash at its first shader. LoadGl() loads
// Mesa there so that its libraries call each other first.

// kFailedPrecondition if `renderer` is of a Mesa that would crash: it was
// loaded before the other LLVM, or could not be loaded as above.
absl::Status CheckLlvm(absl::string_view renderer);

// --- Who uses the driver -----------------------------------------------------

// Tracks the process and the displays that use the driver.
//
// A forked child has none of the driver's threads, so calls into a driver that
// the parent used would hang. Uses are recorded, and children are refused.

// kFailedPrecondition, with both processes and a remedy, if `process` is
// neither 0 nor this one, that is if this process was forked from it. `what`
// names its property in the message: "the delegate and its EGLContext".
absl::Status CheckNotForked(pid_t process, absl::string_view what);

// CheckNotForked() for the process that uses the driver through this library.
// Thread-safe and lock-free: another thread may have held a lock at the fork.
absl::Status CheckDriverProcess();

// Refuses children of this process from now on: it uses driver state that this
// library does not release.
void PinDriver();

// An initialised EGLDisplay. The last DisplayUse of a display terminates it,
// unless it was initialised before the first or is pinned, so that looking for
// a device leaves nothing behind. Only for Mesa, which is known to release its
// threads; other drivers' displays stay initialised. An app that initialises
// the same display in the meantime would lose it. Thread-safe, move-only.
class DisplayUse {
 public:
  // kUnavailable, with EGL's error.
  static absl::StatusOr<DisplayUse> Initialize(EGLDisplay display);

  // Keeps the display initialised until the process ends.
  void Pin();

  EGLDisplay display() const { return display_.get(); }
  // EGL's version: 15 is 1.5.
  EGLint version() const { return version_; }

 private:
  struct Dropper {
    void operator()(EGLDisplay display) const;
  };
  std::unique_ptr<void, Dropper> display_;  // an EGLDisplay
  EGLint version_ = 0;
};

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_EGL_GL_API_H_
