// The gate of a squeeze-excite block as one dispatch: the mean of each channel
// over the plane, and one or two products of matrices of the means. Of a large
// plane bands are added up before, by a dispatch of many work groups. No node
// of a model is this op: FuseSqueezeExcite makes them of AVERAGE_POOL_2D or
// MEAN and of CONV_2D or FULLY_CONNECTED.
#ifndef GLES_DELEGATE_DELEGATE_OPS_CONV_SQUEEZE_EXCITE_H_
#define GLES_DELEGATE_DELEGATE_OPS_CONV_SQUEEZE_EXCITE_H_

#include <vector>

#include "delegate/graph/op.h"

namespace gles_delegate {

// Which node input is what; each may be kNoTensor but the source and the first
// weights. Weights are constant.
enum SqueezeExciteInput {
  kSqueezeSource = 0,  // [B,H,W,C]
  kSqueezeAddend,      // of the source's shape: the mean is that of the sum
  kSqueezeWeights,     // [M,1,1,C] or [M,C]
  kSqueezeBias,
  kExciteWeights,  // [N,1,1,M] or [N,M]; kNoTensor: the first product is all
  kExciteBias,
  kSqueezeExciteInputs,
};

struct SqueezeExciteAttributes {
  // The function of the first product's results, where a second product
  // follows: none, or one that has no operand.
  std::vector<PostOp> between;
  bool adds_bands_first = false;
};

const OpDefinition& SqueezeExcite();

// The node's output is [B,1,1,N] (or M). kResourceExhausted where the device
// has no work group for it.
PlanFunction PlanSqueezeExcite;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_CONV_SQUEEZE_EXCITE_H_
