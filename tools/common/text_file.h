// Files that the programs read and write.
#ifndef GLES_DELEGATE_TOOLS_COMMON_TEXT_FILE_H_
#define GLES_DELEGATE_TOOLS_COMMON_TEXT_FILE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace gles_delegate {

// The bytes of the file, of which a .tflite model or a picture has at most
// 2 GiB. kNotFound, with the path and the reason: it cannot be read (a folder,
// no permission), or has more.
absl::StatusOr<std::vector<uint8_t>> ReadFile(const std::string& path);

// Writes `text` to `path`. A plain file is replaced as a whole, so that a
// program which is interrupted leaves the old one or the new one; what is
// something else (/dev/stdout, a pipe, a symbolic link) is written to.
// kUnavailable, with the path: the file cannot be written.
absl::Status WriteText(const std::string& path, const std::string& text);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_COMMON_TEXT_FILE_H_
