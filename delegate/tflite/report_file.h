// The report as a file (the option report_file).
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_REPORT_FILE_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_REPORT_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace gles_delegate {

// Replaces the file `path` by one that holds `text`: another process that reads
// it finds the old text or the new one. The new file is made beside it, with
// the permissions of any file that the process makes. Errors, with the path: no
// such folder, no permission, no room; or `path` is something else than a plain
// file (a device, a symbolic link), which is left as it is.
absl::Status ReplaceFile(const std::string& path, absl::string_view text);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_REPORT_FILE_H_
