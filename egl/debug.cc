#include "egl/debug.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "egl/environment.h"
#include "egl/objects.h"

namespace gles_delegate::egl {
namespace {

// A length that every driver accepts (GL_MAX_DEBUG_MESSAGE_LENGTH and
// GL_MAX_LABEL_LENGTH are 256 or more in practice).
constexpr size_t kMaxNameBytes = 255;
// A driver that repeats itself must not fill the memory.
constexpr size_t kMaxStoredErrors = 8;
constexpr size_t kMaxTexts = 1000;

std::vector<std::string>& ErrorsOfThread() {
  thread_local std::vector<std::string> errors;
  return errors;
}

const char* SeverityName(GLenum severity) {
  switch (severity) {
    case GL_DEBUG_SEVERITY_HIGH_KHR:
      return "high";
    case GL_DEBUG_SEVERITY_MEDIUM_KHR:
      return "medium";
    case GL_DEBUG_SEVERITY_LOW_KHR:
      return "low";
    default:
      return "note";
  }
}

// True the first time that this process sees the text; false of every new text
// once there were kMaxTexts.
bool IsNew(const std::string& text) {
  static absl::Mutex& mutex = *new absl::Mutex;
  static std::set<std::string>& seen = *new std::set<std::string>;
  const absl::MutexLock lock(&mutex);
  return seen.size() < kMaxTexts && seen.insert(text).second;
}

void GL_APIENTRY LogMessage(GLenum /*source*/, GLenum type, GLuint /*id*/,
                            GLenum severity, GLsizei length,
                            const GLchar* message, const void* /*user*/) {
  // Our own groups, which drivers report when they begin and end.
  if (type == GL_DEBUG_TYPE_PUSH_GROUP_KHR ||
      type == GL_DEBUG_TYPE_POP_GROUP_KHR) {
    return;
  }
  const std::string text(message,
                         length < 0 ? std::strlen(message) : size_t(length));
  if (type == GL_DEBUG_TYPE_ERROR_KHR) {
    std::vector<std::string>& errors = ErrorsOfThread();
    if (errors.size() >= kMaxStoredErrors) errors.erase(errors.begin());
    errors.push_back(text);
  }
  const std::string line = absl::StrCat(SeverityName(severity), ": ", text);
  if (!ProgramTraceIsOn() && !IsNew(line)) return;
  std::fprintf(stderr, "TfLiteGlesDelegate: driver: %s\n", line.c_str());
}

}  // namespace

bool DebugIsOn() { return DebugHas("context") || ProgramTraceIsOn(); }

bool ProgramTraceIsOn() { return DebugHas("programs"); }

ProgramTrace::ProgramTrace(absl::string_view label)
    : label_(ProgramTraceIsOn() ? label : "") {
  if (label_.empty()) return;
  std::fprintf(stderr, "TfLiteGlesDelegate: program begins: %s\n",
               label_.c_str());
}

ProgramTrace::~ProgramTrace() {
  if (label_.empty()) return;
  std::fprintf(stderr, "TfLiteGlesDelegate: program ends: %s\n",
               label_.c_str());
}

void StartDebugLog() {
  gl().DebugMessageCallbackKHR(LogMessage, /*userParam=*/nullptr);
}

std::vector<std::string> TakeLoggedErrors() {
  return std::exchange(ErrorsOfThread(), {});
}

void LabelObject(GLenum kind, GLuint object, absl::string_view label) {
  if (object == 0 || !DebugIsOn() || !HasExtension("GL_KHR_debug")) return;
  gl().ObjectLabelKHR(
      kind, object, static_cast<GLsizei>(std::min(label.size(), kMaxNameBytes)),
      label.data());
}

DebugGroup::DebugGroup(const char* label) : is_open_(label != nullptr) {
  if (!is_open_) return;
  gl().PushDebugGroupKHR(
      GL_DEBUG_SOURCE_APPLICATION_KHR, /*id=*/0,
      static_cast<GLsizei>(std::min(std::strlen(label), kMaxNameBytes)), label);
}

DebugGroup::~DebugGroup() {
  if (is_open_) gl().PopDebugGroupKHR();
}

}  // namespace gles_delegate::egl
