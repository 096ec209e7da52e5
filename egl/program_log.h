// Formats a shader compiler's log with the source lines that it refers to.
#ifndef GLES_DELEGATE_EGL_PROGRAM_LOG_H_
#define GLES_DELEGATE_EGL_PROGRAM_LOG_H_

#include <string>

#include "absl/strings/string_view.h"

namespace gles_delegate::egl {

// Returns the log, then each line of `source` that it refers to as "0:12(3):
// error" (Mesa), "0(12) : error" (NVIDIA) or "0:12: error" (Mali, Adreno,
// PowerVR), once each and in order: "  12 | text". Follows #line directives, so
// that a number within an included file finds that file's text.
std::string DescribeLog(absl::string_view log, absl::string_view source);

}  // namespace gles_delegate::egl

#endif  // GLES_DELEGATE_EGL_PROGRAM_LOG_H_
