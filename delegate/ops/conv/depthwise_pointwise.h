// A depthwise convolution fused with the 1x1 convolution that reads it, as one
// dispatch. Only FuseDepthwise makes such nodes. Inputs: data, filter and bias
// of the depthwise convolution, filter and bias of the other. Biases may be
// kNoTensor. kInnerStage applies to the depthwise convolution's results.
#ifndef GLES_DELEGATE_DELEGATE_OPS_CONV_DEPTHWISE_POINTWISE_H_
#define GLES_DELEGATE_DELEGATE_OPS_CONV_DEPTHWISE_POINTWISE_H_

#include "delegate/graph/op.h"
#include "delegate/ops/conv/sliding_window.h"

namespace gles_delegate {

struct DepthwisePointwiseAttributes {
  SlidingWindow window;  // of the depthwise convolution, of multiplier 1
};

const OpDefinition& DepthwisePointwise();

// kResourceExhausted if it does not fit the device.
PlanFunction PlanDepthwisePointwise;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_CONV_DEPTHWISE_POINTWISE_H_
