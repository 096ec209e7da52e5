// TRANSPOSE: output axis i is input axis permutation[i]. Constant
// permutation; above rank 5 where runs of axes that stay together make it a
// transpose of at most 4 axes. kInvalidArgument: no permutation of the input's
// axes, or another output shape than it gives.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_TRANSPOSE_H_
#define GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_TRANSPOSE_H_

#include <vector>

#include "delegate/graph/op.h"
#include "delegate/ops/movement/remap.h"

namespace gles_delegate {

struct TransposeAttributes {
  Remap remap;
  // Of rank > 5: neighbours that stay together are one axis of these.
  std::vector<int> folded_input;  // empty: not folded
  std::vector<int> folded_output;
};

ParseFunction ParseTranspose;
PlanFunction PlanTranspose;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_TRANSPOSE_H_
