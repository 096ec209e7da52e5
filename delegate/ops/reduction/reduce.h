// MEAN, SUM, REDUCE_MAX, REDUCE_MIN, REDUCE_PROD of floats, REDUCE_ANY and
// REDUCE_ALL of bools, over any axes, kept as extent 1 or dropped. Constant
// axes; above rank 4 where neighbours that are reduced, or kept, alike fold
// into at most 4. kInvalidArgument: axes outside the input, or another output
// shape than they give. kUnimplemented: other types.
#ifndef GLES_DELEGATE_DELEGATE_OPS_REDUCTION_REDUCE_H_
#define GLES_DELEGATE_DELEGATE_OPS_REDUCTION_REDUCE_H_

#include <array>
#include <memory>
#include <vector>

#include "delegate/graph/op.h"
#include "delegate/ops/reduction/reduction.h"

namespace gles_delegate {

struct ReduceAttributes {
  std::array<bool, 4> over = {};  // B, H, W, C
  // Of rank 4 over axes 1 and 2, so written in the model, which are kept:
  // TFLite has kernels of their own for its 8-bit mean.
  bool over_plane = false;
  // Likewise, with axes that may be written as -3 and -2: newer runtimes'.
  bool over_plane_by_any_name = false;
  // 8-bit MEAN and SUM on codes, in TFLite's integers; else null.
  std::shared_ptr<const CodeSums> codes;
  std::vector<int> folded;  // the input's dims above rank 4, folded; else empty
};

ParseFunction ParseReduce;
ParseFunction ParseReduceBools;
// A PlanFunction for each reducer.
template <Reducer kReducer>
absl::Status PlanReduce(const Node& node, Planner* planner);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_REDUCTION_REDUCE_H_
