// SCATTER_ND: the output is zeros, to which each slice of the updates is added
// where its index says, in the order of the indices, as TFLite adds them. An
// index names up to 4 of the output's leading axes. Input 0: the indices,
// [..., depth], int32, or int64 constants; input 1: the updates, [..., trailing
// axes], float32, or int32, whose sums keep the low 32 bits; input 2: the
// output's shape. At run time an index outside of its axis adds nothing; TFLite
// fails on it.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_SCATTER_ND_H_
#define GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_SCATTER_ND_H_

#include <array>

#include "delegate/graph/op.h"

namespace gles_delegate {

// In linear element order the updates are [count, inner], the indices [count,
// depth] and the output [extents..., inner].
struct Scatter {
  int count = 1;
  int inner = 1;
  int depth = 1;
  std::array<int, 4> extents = {1, 1, 1, 1};
};

// kInvalidArgument: constant indices outside of the output, shapes that do not
// go together. kUnimplemented: other types, and outputs whose texels would look
// at too many indices.
ParseFunction ParseScatterNd;
PlanFunction PlanScatterNd;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_SCATTER_ND_H_
