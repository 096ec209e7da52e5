// TRANSPOSE: output axis i is input axis permutation[i]. Constant permutation;
// above rank 5, runs of axes that stay adjacent must fold it into a transpose
// of at most 5 axes. kInvalidArgument: not a permutation of the input's axes,
// or a wrong output shape.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_TRANSPOSE_H_
#define GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_TRANSPOSE_H_

#include <vector>

#include "delegate/graph/op.h"
#include "delegate/ops/movement/remap.h"

namespace gles_delegate {

struct TransposeAttributes {
  Remap remap;
  // Above rank 5: the dims with adjacent axes folded.
  std::vector<int> folded_input;  // empty: not folded
  std::vector<int> folded_output;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_TRANSPOSE_H_
