// The channel scale of a squeeze-excite block as one dispatch: the mean of each
// channel over the plane, then one or two matrix products. Large planes are
// first summed in bands by another dispatch. Only FuseSqueezeExcite makes such
// nodes, from AVERAGE_POOL_2D or MEAN and CONV_2D or FULLY_CONNECTED.
#ifndef GLES_DELEGATE_DELEGATE_OPS_CONV_SQUEEZE_EXCITE_H_
#define GLES_DELEGATE_DELEGATE_OPS_CONV_SQUEEZE_EXCITE_H_

#include "delegate/graph/op.h"

namespace gles_delegate {

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

#endif  // GLES_DELEGATE_DELEGATE_OPS_CONV_SQUEEZE_EXCITE_H_
