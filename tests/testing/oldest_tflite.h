// Which TensorFlow Lite runs the tests (tests/CMakeLists.txt).
#ifndef GLES_DELEGATE_TESTS_TESTING_OLDEST_TFLITE_H_
#define GLES_DELEGATE_TESTS_TESTING_OLDEST_TFLITE_H_

#include "absl/strings/match.h"
#include "tensorflow/lite/c/c_api.h"

namespace gles_delegate::testing {

// Whether it is 2.9, the oldest that is supported.
inline bool OnOldestTflite() {
  return absl::StartsWith(TfLiteVersion(), "2.9.");
}

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TESTS_TESTING_OLDEST_TFLITE_H_
