// Files that the programs write for people and other programs.
#ifndef GLES_DELEGATE_TOOLS_COMMON_TEXT_FILE_H_
#define GLES_DELEGATE_TOOLS_COMMON_TEXT_FILE_H_

#include <string>

#include "absl/status/status.h"

namespace gles_delegate {

// Writes `text` to `path`. A plain file is replaced as a whole, so that a
// program which is interrupted leaves the old one or the new one; what is
// something else (/dev/stdout, a pipe, a symbolic link) is written to.
// kUnavailable, with the path: the file cannot be written.
absl::Status WriteText(const std::string& path, const std::string& text);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_COMMON_TEXT_FILE_H_
