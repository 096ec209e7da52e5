// DEPTHWISE_CONV_2D: y[b,h,w,o] = bias[o] + sum over the window of
// x[b, h*stride - pad + ky*dilation, w*..., o / multiplier] *
// filter[0,ky,kx,o], x being zero outside; multiplier = output channels / input
// channels. BHWC, any batch; filter [1,H,W,O] and bias constant (float32 or
// float16) or computed at run time (float32). kInvalidArgument: shapes that
// disagree.
#ifndef GLES_DELEGATE_DELEGATE_OPS_CONV_DEPTHWISE_CONV_2D_H_
#define GLES_DELEGATE_DELEGATE_OPS_CONV_DEPTHWISE_CONV_2D_H_

#include "delegate/graph/op.h"

namespace gles_delegate {

// Node inputs: data, filter, bias (may be absent).
struct DepthwiseConv2dAttributes {
  int stride_h = 1;
  int stride_w = 1;
  int dilation_h = 1;
  int dilation_w = 1;
  // Zeros around the input, in elements. A pass may add to them, with an input
  // made smaller by as much; the output's shape stays as it is.
  int pad_top = 0;
  int pad_left = 0;
  int pad_bottom = 0;
  int pad_right = 0;
  int multiplier = 1;
};

absl::StatusOr<ParsedNode> ParseDepthwiseConv2d(const NodeView& node);
absl::Status PlanDepthwiseConv2d(const Node& node, Planner* planner);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_CONV_DEPTHWISE_CONV_2D_H_
