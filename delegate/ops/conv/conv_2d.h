// CONV_2D: y[b,h,w,o] = bias[o] + sum over the window and the input channels of
// x[b, h*stride - pad + ky*dilation, w*..., i] * filter[o,ky,kx,i], with x zero
// outside. BHWC, any batch; filter OHWI and bias, constant (float32 or float16)
// or computed at run time (float32). Grouped if the filter has fewer channels
// than the input. kInvalidArgument: inconsistent shapes.
#ifndef GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_2D_H_
#define GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_2D_H_

#include <array>

#include "delegate/graph/graph.h"
#include "delegate/graph/op.h"
#include "delegate/ops/checks.h"

namespace gles_delegate {

// Indices of the node's inputs, which differ between ops.
struct ConvInputs {
  int data = 0;
  int weights = 1;
  int bias = 2;  // may be past the node's last input
};

// Node inputs: data, filter, bias (optional).
struct Conv2dAttributes : SlidingWindow {
  int groups = 1;
};

// --- DEPTHWISE_CONV_2D -------------------------------------------------------

// DEPTHWISE_CONV_2D: y[b,h,w,o] = bias[o] + sum over the window of x[b,
// h*stride - pad + ky*dilation, w*..., o / multiplier] * filter[0,ky,kx,o],
// with x zero outside; multiplier = output channels / input channels. BHWC, any
// batch; filter [1,H,W,O] and bias, constant (float32 or float16) or computed
// at run time (float32). kInvalidArgument: inconsistent shapes.

// Node inputs: data, filter, bias (optional).
struct DepthwiseConv2dAttributes : SlidingWindow {
  int multiplier = 1;  // output channels per input channel
};

// --- TRANSPOSE_CONV ----------------------------------------------------------

// TRANSPOSE_CONV, and the custom op Convolution2DTransposeBias: y[b, s*h + ky -
// pad, s*w + kx - pad, o] is bias[o] plus the sum of every x[b,h,w,i] *
// filter[o,ky,kx,i] that maps to it. BHWC, any batch; filter OHWI and bias,
// constant (float32 or float16) or computed at run time (float32).
// kInvalidArgument: inconsistent shapes; kUnimplemented: an output shape
// computed at run time.

// The window slides over the output. Its padding is the number of rows and
// columns cut off the full result on each side; its dilation is 1.
struct TransposeConvAttributes : SlidingWindow {
  ConvInputs inputs;  // of the two ops
};

// --- CONV_3D -----------------------------------------------------------------

// CONV_3D and CONV_3D_TRANSPOSE: a window of depth, height and width over
// [N,D,H,W,C], and its transpose, which spreads each input element over a
// window of the output. The filter is [D,H,W,I,O], of the transpose
// [D,H,W,O,I], a constant of floats. Batch and depth share the batch of the
// layout.

struct Conv3dAttributes {
  // Along width, height and depth: of the input, or of the output if
  // transposed.
  std::array<Window, 3> window;
  std::array<int, 3> pad = {};  // elements before the first
  // Along the depth, which passes do not keep in the tensors' dims.
  int src_depth = 1;
  int dst_depth = 1;
  bool transposed = false;
  ConvInputs inputs;
};

// --- Squeeze-excite blocks ---------------------------------------------------

// The channel scale of a squeeze-excite block as one dispatch: the mean of each
// channel over the plane, then one or two matrix products. Large planes are
// first summed in bands by another dispatch. Only FuseSqueezeExcite makes such
// nodes, from AVERAGE_POOL_2D or MEAN and CONV_2D or FULLY_CONNECTED.

// The node's inputs; all but the source and the first weights may be kNoTensor.
// Weights are constant.
enum SqueezeExciteInput {
  kSqueezeSource = 0,  // [B,H,W,C]; the mean is that of kInputStage's values
  kSqueezeWeights,     // [M,1,1,C] or [M,C]
  kSqueezeBias,
  kExciteWeights,  // [N,1,1,M] or [N,M]; kNoTensor: the first product is all
  kExciteBias,
  kSqueezeExciteInputs,
};

// kInnerStage is between the two products, if there are two.
struct SqueezeExciteAttributes {
  bool adds_bands_first = false;
};

// The output is [B,1,1,N] (or M). kResourceExhausted if no work group of the
// device is large enough.
PlanFunction PlanSqueezeExcite;
inline constexpr OpDefinition kSqueezeExciteOp =
    OpOfPasses("SQUEEZE_EXCITE", PlanSqueezeExcite);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_CONV_CONV_2D_H_
