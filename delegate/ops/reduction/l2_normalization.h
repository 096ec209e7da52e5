// L2_NORMALIZATION: y = x / max(sqrt(sum of x^2 over the channels), 1e-6), for
// each pixel. Any rank. No fused activation, as in TFLite's kernel.
#ifndef GLES_DELEGATE_DELEGATE_OPS_REDUCTION_L2_NORMALIZATION_H_
#define GLES_DELEGATE_DELEGATE_OPS_REDUCTION_L2_NORMALIZATION_H_

#include "delegate/graph/op.h"

namespace gles_delegate {

// kInvalidArgument: an activation, or an output shape that is not the input's.
// The attributes of nodes on 8-bit quantized values, which use TFLite's integer
// arithmetic; float nodes have none.
struct L2NormalizationOfQuantized {
  int zero_out = 0;
  bool is_unsigned = false;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_REDUCTION_L2_NORMALIZATION_H_
