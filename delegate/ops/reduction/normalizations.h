// L2_NORMALIZATION: y = x / max(sqrt(sum of x^2 over the channels), 1e-6), for
// each pixel. Any rank. No fused activation, as in TFLite's kernel.
#ifndef GLES_DELEGATE_DELEGATE_OPS_REDUCTION_NORMALIZATIONS_H_
#define GLES_DELEGATE_DELEGATE_OPS_REDUCTION_NORMALIZATIONS_H_

#include "delegate/graph/op.h"

namespace gles_delegate {

// kInvalidArgument: an activation, or an output shape that is not the input's.
// The attributes of nodes on 8-bit quantized values, which use TFLite's integer
// arithmetic; float nodes have none.
struct L2NormalizationOfQuantized {
  int zero_out = 0;
  bool is_unsigned = false;
};

// LOCAL_RESPONSE_NORMALIZATION: y[c] = x[c] * (bias + alpha * sum of x[i]^2
// over the existing channels i from c - radius to c + radius)^-beta. Rank 4.
struct LocalResponseNormalizationAttributes {
  int radius = 0;
  float bias = 0, alpha = 0, beta = 0;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_REDUCTION_NORMALIZATIONS_H_
