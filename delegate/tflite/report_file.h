// Writes the report to a file (the option report_file).
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_REPORT_FILE_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_REPORT_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace gles_delegate {

// Atomically replaces the file `path` by one with `text`. The new file is made
// in the same directory, with default permissions. Errors, with the path: no
// such directory, no permission, no space; or `path` is not a regular file (a
// device, a symbolic link), which is left alone.
absl::Status ReplaceFile(const std::string& path, absl::string_view text);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_REPORT_FILE_H_
