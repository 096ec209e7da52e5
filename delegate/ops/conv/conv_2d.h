// CONV_2D: y[b,h,w,o] = bias[o] + sum over the window and the input channels of
// x[b, h*stride - pad + ky*dilation, w*..., i] * filter[o,ky,kx,i], x being
// zero outside. BHWC, any batch; filter OHWI and bias constant (float32 or
// float16) or computed at run time (float32); grouped where the filter has
// fewer channels than the input. kInvalidArgument: shapes that disagree.
#ifndef GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_2D_H_
#define GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_2D_H_

#include "delegate/graph/op.h"

namespace gles_delegate {

// Node inputs: data, filter, bias (may be absent); and InputGate's two where
// FuseGates has added them.
constexpr int kConvGate = 3;
constexpr int kConvAddend = 4;
struct Conv2dAttributes {
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
  int groups = 1;
};

absl::StatusOr<ParsedNode> ParseConv2d(const NodeView& node);
absl::Status PlanConv2d(const Node& node, Planner* planner);

// True where each output pixel is a product of the weights and the input's
// pixel at the same place: a 1x1 window, stride 1, one group, and no padding on
// any side, which the shapes tell. The one test for that; a window of more
// taps, or a PAD that was fused behind the input alone, is none.
bool IsPointwise(const Conv2dAttributes& attributes, int window_w, int window_h,
                 const Shape& src, const Shape& dst);

// True where the node is a CONV_2D with a 1x1 window, stride 1, and constant
// weights, and has pixels enough to be planned in tiles: it may have a gate.
bool IsTiledPointwise(const Graph& graph, const Node& node);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_2D_H_
