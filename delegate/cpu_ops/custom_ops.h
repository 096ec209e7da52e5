// Reference CPU kernels of custom ops that on-device vision models use and
// stock TFLite lacks. They are the oracle for the delegate and run nodes that
// stay on the CPU, so they are written for clarity, not speed.
// TfLiteGlesDelegateCustomOps() provides them to apps.
//
// To add one, add its two functions and its rows. Definitions: MediaPipe's
// mediapipe/util/tflite/operations.
#ifndef GLES_DELEGATE_DELEGATE_CPU_OPS_CUSTOM_OPS_H_
#define GLES_DELEGATE_DELEGATE_CPU_OPS_CUSTOM_OPS_H_

#include "absl/types/span.h"
#include "gles_delegate/gles_delegate.h"

namespace gles_delegate {

// All custom ops. Kernels do not see their node's version, so different
// versions have separate rows.
absl::Span<const TfLiteGlesCustomOp> CustomOps();

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_CPU_OPS_CUSTOM_OPS_H_
