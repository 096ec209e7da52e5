// CheckGl: describes errors since the last check.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "egl/debug.h"
#include "egl/objects.h"

namespace gles_delegate::egl {
namespace {

// A lost context may raise GL_CONTEXT_LOST for ever: never loop without end.
constexpr int kMaxErrors = 16;
constexpr int kMaxMessages = 8;

std::string ErrorName(GLenum error) {
  switch (error) {
    case GL_INVALID_ENUM:
      return "GL_INVALID_ENUM";
    case GL_INVALID_VALUE:
      return "GL_INVALID_VALUE";
    case GL_INVALID_OPERATION:
      return "GL_INVALID_OPERATION";
    case GL_INVALID_FRAMEBUFFER_OPERATION:
      return "GL_INVALID_FRAMEBUFFER_OPERATION";
    case GL_OUT_OF_MEMORY:
      return "GL_OUT_OF_MEMORY";
    case GL_CONTEXT_LOST_KHR:
      return "GL_CONTEXT_LOST";
    default:
      return absl::StrCat("GL error 0x", absl::Hex(error));
  }
}

bool HasDebugMessages() {
  // Only an enum that KHR_debug knows is answered without an error; the error
  // flag is empty here, so it is ours to drain.
  GLint count = 0;
  gl().GetIntegerv(GL_DEBUG_LOGGED_MESSAGES_KHR, &count);
  return gl().GetError() == GL_NO_ERROR && count > 0 &&
         gl().GetDebugMessageLogKHR != nullptr;
}

std::vector<std::string> DrainDebugMessages() {
  std::vector<std::string> messages = TakeLoggedErrors();
  if (!HasDebugMessages()) return messages;
  std::string text(4096, '\0');
  for (int i = 0; i < kMaxMessages; ++i) {
    GLenum type = 0;
    GLsizei length = 0;
    const GLuint count = gl().GetDebugMessageLogKHR(
        1, static_cast<GLsizei>(text.size()), /*sources=*/nullptr, &type,
        /*ids=*/nullptr, /*severities=*/nullptr, &length, text.data());
    if (count == 0) break;
    if (type != GL_DEBUG_TYPE_ERROR_KHR) continue;
    messages.emplace_back(text.data(), std::max(0, length - 1));
  }
  return messages;
}

}  // namespace

absl::Status CheckGl(absl::string_view what) {
  GLenum error = gl().GetError();
  if (error == GL_NO_ERROR) return absl::OkStatus();

  std::vector<std::string> names;
  absl::StatusCode code = absl::StatusCode::kInternal;
  for (int i = 0; i < kMaxErrors && error != GL_NO_ERROR; ++i) {
    names.push_back(ErrorName(error));
    if (error == GL_OUT_OF_MEMORY) code = absl::StatusCode::kResourceExhausted;
    if (error == GL_CONTEXT_LOST_KHR) {
      code = absl::StatusCode::kAborted;
      break;
    }
    error = gl().GetError();
  }
  std::string message = absl::StrCat(what, ": ", absl::StrJoin(names, ", "));
  if (code != absl::StatusCode::kAborted) {
    for (const std::string& text : DrainDebugMessages()) {
      absl::StrAppend(&message, "\n  driver: ", text);
    }
  }
  return absl::Status(code, message);
}

}  // namespace gles_delegate::egl
