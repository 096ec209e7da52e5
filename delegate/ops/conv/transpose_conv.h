// TRANSPOSE_CONV, and the custom op Convolution2DTransposeBias: y[b, s*h + ky -
// pad, s*w + kx - pad, o] is bias[o] plus the sum of every x[b,h,w,i] *
// filter[o,ky,kx,i] that maps to it. BHWC, any batch; filter OHWI and bias,
// constant (float32 or float16) or computed at run time (float32).
// kInvalidArgument: inconsistent shapes; kUnimplemented: an output shape
// computed at run time.
#ifndef GLES_DELEGATE_DELEGATE_OPS_CONV_TRANSPOSE_CONV_H_
#define GLES_DELEGATE_DELEGATE_OPS_CONV_TRANSPOSE_CONV_H_

#include "delegate/graph/op.h"
#include "delegate/ops/sliding_window.h"

namespace gles_delegate {

// The window slides over the output. Its padding is the number of rows and
// columns cut off the full result on each side; its dilation is 1.
struct TransposeConvAttributes : SlidingWindow {
  // Indices of the node's inputs, which differ between the two ops.
  int data_input = 0;
  int filter_input = 1;
  int bias_input = 2;  // may be past the last
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_CONV_TRANSPOSE_CONV_H_
