// Writes the text of TfLiteGlesDelegateReport().
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_REPORT_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_REPORT_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "delegate/session/gpu.h"
#include "delegate/tflite/interpreter_reports.h"
#include "delegate/tflite/options.h"
#include "delegate/tflite/runtime.h"
#include "quant/cpu_kernels.h"

namespace gles_delegate {

// --- The option report_file --------------------------------------------------

// Atomically replaces the file `path` by one with `text`. The new file is made
// in the same directory, with default permissions. Errors, with the path: no
// such directory, no permission, no space; or `path` is not a regular file (a
// device, a symbolic link), which is left alone.
absl::Status ReplaceFile(const std::string& path, absl::string_view text);

// The report's contents. The references must outlive the call.
struct ReportParts {
  const Options& options;
  const Gpu* gpu;  // nullptr: no context yet
  const Runtime& runtime;
  quant::CpuKernels cpu_kernels;
  const std::vector<InterpreterReport>& interpreters;  // the last applied last
};

// A JSON object. Its keys about a model describe the last interpreter; if there
// are several, "interpreters" has these keys for each, in order, and
// "gpu_bytes" is the sum. Invalid UTF-8 in names is replaced.
std::string ReportText(const ReportParts& parts);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_REPORT_H_
