// Weights that stay in 8 bits on the GPU.
#ifndef GLES_DELEGATE_DELEGATE_OPS_CONV_CODE_WEIGHTS_H_
#define GLES_DELEGATE_DELEGATE_OPS_CONV_CODE_WEIGHTS_H_

#include "delegate/ops/conv/convolution.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

// Gives `d` constant weights of int8, with one scale or one an output:
// "weights" in the layout of PackFilter, without a bias, and "scales": texel
// (0, slice) has the outputs' scales, (1, slice) their biases. False: other
// weights, a quantized input, or a device with few bindings.
bool BindQuantized(const Convolution& conv, const Planner& planner,
                   Dispatch* d);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_CONV_CODE_WEIGHTS_H_
