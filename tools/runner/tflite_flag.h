// --tflite_library: which TensorFlow Lite a program runs.
#ifndef GLES_DELEGATE_TOOLS_RUNNER_TFLITE_FLAG_H_
#define GLES_DELEGATE_TOOLS_RUNNER_TFLITE_FLAG_H_

#include <string>

#include "absl/status/status.h"

namespace gles_delegate {

// Opens the library that the flag names, else the default one, and prints its
// version and file to stderr. After the command line was parsed, before any
// TensorFlow Lite function. Errors are OpenTfliteLibrary()'s.
absl::Status OpenTfliteFromFlag();

// "2.21.0 (libjnitensorflowlite.so)", for reports.
std::string TfliteName();

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_RUNNER_TFLITE_FLAG_H_
