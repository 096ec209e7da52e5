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
#ifndef GLES_DELEGATE_EGL_DEBUG_H_
#define GLES_DELEGATE_EGL_DEBUG_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "egl/gl_api.h"

namespace gles_delegate::egl {

// True if GLES_DELEGATE_DEBUG has one of the items context and programs.
bool DebugIsOn();

// True if that variable has the item programs.
bool ProgramTraceIsOn();

// If ProgramTraceIsOn(), prints "TfLiteGlesDelegate: program begins: LABEL" to
// stderr, and "... program ends: LABEL" at the end of the scope.
class ProgramTrace {
 public:
  explicit ProgramTrace(absl::string_view label);
  ~ProgramTrace();
  ProgramTrace(const ProgramTrace&) = delete;
  ProgramTrace& operator=(const ProgramTrace&) = delete;

 private:
  const std::string label_;  // Empty: nothing is printed.
};

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

// A KHR_debug group around the commands of its scope.
class DebugGroup {
 public:
  // `label`: null for no group; otherwise needs GL_KHR_debug.
  explicit DebugGroup(const char* label);
  ~DebugGroup();
  DebugGroup(const DebugGroup&) = delete;
  DebugGroup& operator=(const DebugGroup&) = delete;

 private:
  const bool is_open_;
};

// --- A shader compiler's log -------------------------------------------------

// Returns the log, then each line of `source` that it refers to as "0:12(3):
// error" (Mesa), "0(12) : error" (NVIDIA) or "0:12: error" (Mali, Adreno,
// PowerVR), once each and in order: "  12 | text". Follows #line directives, so
// that a number within an included file finds that file's text.
std::string DescribeLog(absl::string_view log, absl::string_view source);

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_EGL_DEBUG_H_
