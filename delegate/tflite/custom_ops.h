// Reference CPU kernels of custom ops that on-device vision models use and
// stock TFLite lacks. They are the oracle for the delegate and run nodes that
// stay on the CPU, so they are written for clarity, not speed.
// TfLiteGlesDelegateCustomOps() provides them to apps.
//
// To add one, add its two functions and its rows. Definitions: MediaPipe's
// mediapipe/util/tflite/operations.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_CUSTOM_OPS_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_CUSTOM_OPS_H_

#include "absl/types/span.h"
#include "delegate/tflite/abi.h"

namespace gles_delegate {

struct CustomOp {
  const char* name;
  // Members that TFLite 2.9 lacks are zero, since a newer runtime copies them,
  // too.
  NewestRegistration registration;
  // Kernels do not see their node's version, so different versions have
  // separate rows.
  int version;
};

// All custom ops; valid until the process ends.
absl::Span<const CustomOp> CustomOps();

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_CUSTOM_OPS_H_
