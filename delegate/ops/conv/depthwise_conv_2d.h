// DEPTHWISE_CONV_2D: y[b,h,w,o] = bias[o] + sum over the window of x[b,
// h*stride - pad + ky*dilation, w*..., o / multiplier] * filter[0,ky,kx,o],
// with x zero outside; multiplier = output channels / input channels. BHWC, any
// batch; filter [1,H,W,O] and bias, constant (float32 or float16) or computed
// at run time (float32). kInvalidArgument: inconsistent shapes.
#ifndef GLES_DELEGATE_DELEGATE_OPS_CONV_DEPTHWISE_CONV_2D_H_
#define GLES_DELEGATE_DELEGATE_OPS_CONV_DEPTHWISE_CONV_2D_H_

#include "delegate/graph/op.h"
#include "delegate/ops/sliding_window.h"

namespace gles_delegate {

// Node inputs: data, filter, bias (optional).
struct DepthwiseConv2dAttributes : SlidingWindow {
  int multiplier = 1;  // output channels per input channel
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_CONV_DEPTHWISE_CONV_2D_H_
