// A 1x1 convolution with the depthwise convolution that reads it, as one
// dispatch over whole planes. No node of a model is this op: FusePlanes makes
// them. Node inputs: data, filter and bias of the 1x1 convolution, filter and
// bias of the other, and, on codes, the table of the 1x1 convolution's
// multipliers; a bias may be kNoTensor, the table absent.
#ifndef GLES_DELEGATE_DELEGATE_OPS_CONV_POINTWISE_DEPTHWISE_H_
#define GLES_DELEGATE_DELEGATE_OPS_CONV_POINTWISE_DEPTHWISE_H_

#include "delegate/graph/op.h"
#include "delegate/ops/conv/inner_function.h"
#include "delegate/ops/conv/sliding_window.h"

namespace gles_delegate {

struct PointwiseDepthwiseAttributes {
  SlidingWindow window;  // of the depthwise convolution, of multiplier 1
  InnerFunction inner;   // of the 1x1 convolution's results
};

const OpDefinition& PointwiseDepthwise();

// kResourceExhausted where the planes fit no work group of the device.
PlanFunction PlanPointwiseDepthwise;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_CONV_POINTWISE_DEPTHWISE_H_
