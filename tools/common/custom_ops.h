// Plain reference CPU kernels of the custom ops that on-device vision models
// hold and stock TFLite does not know. They are the oracle that the delegate is
// compared with, so they are written to be read, not to be fast.
//
// To add one: a file with a TfLiteRegistration, and a row in custom_ops.cc.
#ifndef GLES_DELEGATE_TOOLS_COMMON_CUSTOM_OPS_H_
#define GLES_DELEGATE_TOOLS_COMMON_CUSTOM_OPS_H_

#include "absl/types/span.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

struct CustomOp {
  const char* name;
  TfLiteRegistration registration;
  int min_version;
  int max_version;
};

// Every custom op that is known; valid for the life of the process.
absl::Span<const CustomOp> CustomOps();

// out = s * in - padding_before + k, summed over inputs, starting at the bias.
// Inputs: data [B,H,W,I], weights [O,kh,kw,I], bias [O], all float32.
// Parameters: padding (1 SAME, 2 VALID), stride_width, stride_height (int32).
TfLiteRegistration Convolution2DTransposeBiasRegistration();

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_COMMON_CUSTOM_OPS_H_
