// What GLES_DELEGATE_DEBUG=1 in the environment turns on, for RenderDoc, Nsight
// and whoever reads the log:
//   - contexts of the delegate's own are debug contexts, and what the driver
//     says goes to stderr, each message once a process;
//   - each dispatch is a group of GL_KHR_debug, named after the dispatch's
//     label ("CONV_2D 12"), also in a borrowed context;
//   - programs, buffers and textures have labels.
// GLES_DELEGATE_DEBUG=programs is the same, and programs are compiled one by
// one, each between two lines on stderr that name it; the driver's messages
// come where they arise, and each time. So what a driver's compiler says of its
// work is known by program (tools/drivers). Where the driver has no
// GL_KHR_debug, nothing of this happens. Without the variable, Invoke calls
// nothing of this.
#ifndef GLES_DELEGATE_EGL_DEBUG_H_
#define GLES_DELEGATE_EGL_DEBUG_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "egl/gl_api.h"

namespace gles_delegate::egl {

// True where the environment variable GLES_DELEGATE_DEBUG is set and not 0.
bool DebugIsOn();

// True where that variable is "programs".
bool ProgramTraceIsOn();

// Prints "TfLiteGlesDelegate: program begins: LABEL" to stderr, and at the end
// of the scope "... program ends: LABEL", where ProgramTraceIsOn().
class ProgramTrace {
 public:
  explicit ProgramTrace(absl::string_view label);
  ~ProgramTrace();
  ProgramTrace(const ProgramTrace&) = delete;
  ProgramTrace& operator=(const ProgramTrace&) = delete;

 private:
  const std::string label_;  // Empty: nothing is printed.
};

// From here on the driver's messages in the current context, which is a debug
// context, go to stderr ("TfLiteGlesDelegate: driver: ..."), each once a
// process. Needs GL_KHR_debug.
void StartDebugLog();

// The last errors that StartDebugLog()'s log had from this thread, oldest
// first; each is returned once. For CheckGl(): a driver that hands its messages
// to a log of ours keeps none of its own.
std::vector<std::string> TakeLoggedErrors();

// Gives an object of the current context a name, where DebugIsOn() and the
// driver can. kind: GL_BUFFER_KHR, GL_PROGRAM_KHR or GL_TEXTURE. Too slow for
// Invoke.
void LabelObject(GLenum kind, GLuint object, absl::string_view label);

// A group of GL_KHR_debug around the commands of its scope.
class DebugGroup {
 public:
  // `label`: null for no group; needs GL_KHR_debug else.
  explicit DebugGroup(const char* label);
  ~DebugGroup();
  DebugGroup(const DebugGroup&) = delete;
  DebugGroup& operator=(const DebugGroup&) = delete;

 private:
  const bool is_open_;
};

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_EGL_DEBUG_H_
