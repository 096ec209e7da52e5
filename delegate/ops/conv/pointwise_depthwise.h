// A 1x1 convolution fused with the depthwise convolution that reads it, as one
// dispatch over whole planes. Only FusePlanes makes such nodes. Inputs: data,
// filter and bias of the 1x1 convolution, filter and bias of the other. Biases
// may be kNoTensor. kInnerStage applies to the 1x1 convolution's results.
#ifndef GLES_DELEGATE_DELEGATE_OPS_CONV_POINTWISE_DEPTHWISE_H_
#define GLES_DELEGATE_DELEGATE_OPS_CONV_POINTWISE_DEPTHWISE_H_

#include "delegate/graph/op.h"
#include "delegate/ops/conv/sliding_window.h"

namespace gles_delegate {

struct PointwiseDepthwiseAttributes {
  SlidingWindow window;  // of the depthwise convolution, of multiplier 1
};

const OpDefinition& PointwiseDepthwise();

// kResourceExhausted if the planes do not fit a work group of the device.
PlanFunction PlanPointwiseDepthwise;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_CONV_POINTWISE_DEPTHWISE_H_
