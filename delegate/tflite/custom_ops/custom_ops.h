// Plain reference CPU kernels of the custom ops that on-device vision models
// hold and stock TFLite does not know. They are the oracle that the delegate is
// compared with, and what runs where it leaves a node to the CPU, so they are
// written to be read, not to be fast. TfLiteGlesDelegateCustomOps() gives them
// to apps.
//
// To add one: a file with a registration, a line here, and rows in
// custom_ops.cc. Definitions: MediaPipe's mediapipe/util/tflite/operations.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_CUSTOM_OPS_CUSTOM_OPS_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_CUSTOM_OPS_CUSTOM_OPS_H_

#include "absl/types/span.h"
#include "delegate/tflite/abi.h"

namespace gles_delegate {

struct CustomOp {
  const char* name;
  // The members that TFLite 2.9 does not know are zero: a newer runtime copies
  // them, too.
  NewestRegistration registration;
  // A kernel does not see its node's version, so versions that differ have rows
  // of their own.
  int version;
};

// Every custom op that is known; valid for the life of the process.
absl::Span<const CustomOp> CustomOps();

// Data [B,H,W,I], weights [O,kh,kw,I], bias [O]; see
// delegate/ops/conv/transpose_conv.h.
TfLiteRegistration Convolution2DTransposeBiasRegistration();
// See delegate/ops/pooling/argmax_pool.h.
TfLiteRegistration MaxPoolingWithArgmax2DRegistration();
TfLiteRegistration MaxUnpooling2DRegistration();
// See delegate/ops/image/resampler.h.
TfLiteRegistration ResamplerRegistration();
// See delegate/ops/image/landmarks.h.
TfLiteRegistration TransformTensorBilinearRegistration(int version);
TfLiteRegistration TransformLandmarksRegistration(int version);
TfLiteRegistration LandmarksToTransformMatrixRegistration(int version);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_CUSTOM_OPS_CUSTOM_OPS_H_
