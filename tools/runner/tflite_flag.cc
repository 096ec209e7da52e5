#include "tools/runner/tflite_flag.h"

#include <cstdio>

#include "absl/flags/flag.h"
#include "absl/strings/str_cat.h"
#include "tensorflow/lite/c/c_api.h"
#include "tools/common/tflite_library.h"

ABSL_FLAG(std::string, tflite_library, "",
          "run the TensorFlow Lite C library in this file (else the one of "
          "GLES_DELEGATE_TFLITE_LIBRARY, else the one that comes with the "
          "program)");

namespace gles_delegate {

absl::Status OpenTfliteFromFlag() {
  absl::Status opened = OpenTfliteLibrary(absl::GetFlag(FLAGS_tflite_library));
  if (opened.ok()) {
    std::fprintf(stderr, "TensorFlow Lite %s\n", TfliteName().c_str());
  }
  return opened;
}

std::string TfliteName() {
  const std::string path = TfliteLibraryPath();
  return absl::StrCat(TfLiteVersion(), " (", path.substr(path.rfind('/') + 1),
                      ")");
}

}  // namespace gles_delegate
