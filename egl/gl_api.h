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
#include <vector>

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

// --- GL's and EGL's answers --------------------------------------------------

// glGetIntegerv() of one value; 0: the driver refuses the question.
GLint GetInteger(GLenum name);

// Searches the driver's list; not for every inference (use DeviceInfo::Has()).
// Needs a current context.
bool HasExtension(absl::string_view name);

// "EGL_BAD_ACCESS (the context is current on another thread)", or the number of
// an unknown code.
std::string EglErrorText(EGLint error);

// The text of eglGetError(), for this thread's last EGL call.
std::string LastEglError();

// True if the space-separated list `extensions` contains exactly `name`.
bool HasEglExtension(const char* extensions, absl::string_view name);

// Whether the vendor of the display's driver has this in its name.
bool IsOfVendor(EGLDisplay display, absl::string_view name);

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

// --- Debugging ---------------------------------------------------------------

// The effects of GLES_DELEGATE_DEBUG=context in the environment, for RenderDoc,
// Nsight and readers of the log:
// - The delegate's own contexts are debug contexts, and the driver's messages
//   go to stderr, each once per process.
// - Each dispatch is a KHR_debug group named after its label ("CONV_2D 12"),
//   also in a borrowed context.
// - Programs, buffers and textures have labels.
//
// GLES_DELEGATE_DEBUG=programs also compiles programs one by one, each between
// two lines on stderr that name it, and prints every driver message as it
// arises, so that compiler statistics can be assigned to programs
// (lab/drivers). Drivers without GL_KHR_debug ignore all of this. Without the
// variable, Invoke makes no such calls.

// True if GLES_DELEGATE_DEBUG has one of the items context and programs.
bool DebugIsOn();

// True if that variable has the item programs.
bool ProgramTraceIsOn();

// Sends the driver's messages in the current debug context to stderr from now
// on ("TfLiteGlesDelegate: driver: ..."), each once per process. Needs
// GL_KHR_debug.
void StartDebugLog();

// Returns and clears this thread's last errors in StartDebugLog()'s log, oldest
// first. For CheckGl(): drivers that pass messages to a callback keep no log.
std::vector<std::string> TakeLoggedErrors();

// Names an object of the current context, if DebugIsOn() and the driver
// supports it. kind: GL_BUFFER_KHR, GL_PROGRAM_KHR or GL_TEXTURE. Too slow for
// Invoke.
void LabelObject(GLenum kind, GLuint object, absl::string_view label);

// Opens a KHR_debug group, which GL's PopDebugGroupKHR() closes. Needs
// GL_KHR_debug.
void PushDebugGroup(absl::string_view label);

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_EGL_GL_API_H_
