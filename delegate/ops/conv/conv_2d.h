// CONV_2D: y[b,h,w,o] = bias[o] + sum over the window and the input channels of
// x[b, h*stride - pad + ky*dilation, w*..., i] * filter[o,ky,kx,i], with x zero
// outside. BHWC, any batch; filter OHWI and bias, constant (float32 or float16)
// or computed at run time (float32). Grouped if the filter has fewer channels
// than the input. kInvalidArgument: inconsistent shapes.
#ifndef GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_2D_H_
#define GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_2D_H_

#include "delegate/graph/op.h"
#include "delegate/ops/conv/sliding_window.h"

namespace gles_delegate {

// Node inputs: data, filter, bias (optional).
struct Conv2dAttributes : SlidingWindow {
  int groups = 1;
};

ParseFunction ParseConv2d;
PlanFunction PlanConv2d;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_2D_H_
