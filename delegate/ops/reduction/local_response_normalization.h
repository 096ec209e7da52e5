// LOCAL_RESPONSE_NORMALIZATION: y[c] = x[c] * (bias + alpha * sum of x[i]^2
// over the existing channels i from c - radius to c + radius)^-beta. Rank 4.
#ifndef GLES_DELEGATE_DELEGATE_OPS_REDUCTION_LOCAL_RESPONSE_NORMALIZATION_H_
#define GLES_DELEGATE_DELEGATE_OPS_REDUCTION_LOCAL_RESPONSE_NORMALIZATION_H_

#include "delegate/graph/op.h"

namespace gles_delegate {

struct LocalResponseNormalizationAttributes {
  int radius = 0;
  float bias = 0, alpha = 0, beta = 0;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_REDUCTION_LOCAL_RESPONSE_NORMALIZATION_H_
