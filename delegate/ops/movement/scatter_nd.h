// SCATTER_ND: adds each slice of the updates to zeros at its index, in order of
// the indices, as TFLite does. Input 0: indices [..., depth] into up to 4
// leading axes of the output, int32, or int64 constants; input 1: updates [...,
// trailing axes], float32, or int32, with sums modulo 2^32; input 2: the
// output's shape. At run time, indices outside their axis are ignored; TFLite
// fails.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_SCATTER_ND_H_
#define GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_SCATTER_ND_H_

#include "delegate/graph/op.h"
#include "delegate/ops/movement/gather.h"
#include "delegate/ops/reduction/reduction.h"

namespace gles_delegate {

// In linear element order the updates are [count, inner], the indices [count,
// depth] and the output [extents..., inner].
struct Scatter : IndexedSlices {
  int indices_input = 0;
  int updates_input = 1;
  // Of the values at one index. Elements without any are 0 of a sum, 1 of a
  // product, and of extremes the type's other extreme.
  Reducer reducer = Reducer::kSum;
};

// CheckScatterReads is kUnimplemented if each texel of the output would look at
// too many indices. kInvalidArgument: constant indices outside of the output,
// shapes that do not go together. kUnimplemented: other types, and outputs
// whose texels would look at too many indices.
absl::Status CheckScatterReads(const Tensor& output, const Tensor& indices);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_SCATTER_ND_H_
