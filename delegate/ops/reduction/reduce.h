// MEAN, SUM, REDUCE_MAX, REDUCE_MIN, REDUCE_PROD of floats, REDUCE_ANY and
// REDUCE_ALL of bools, over any constant axes, kept with extent 1 or removed.
// Above rank 4, adjacent axes are one axis; if more than 4 are left, a dispatch
// moves some together first. kInvalidArgument: invalid axes, or a wrong output
// shape. kUnimplemented: other types.
#ifndef GLES_DELEGATE_DELEGATE_OPS_REDUCTION_REDUCE_H_
#define GLES_DELEGATE_DELEGATE_OPS_REDUCTION_REDUCE_H_

#include <array>
#include <memory>
#include <vector>

#include "delegate/graph/op.h"
#include "delegate/ops/movement/transpose.h"
#include "delegate/ops/reduction/reduction.h"

namespace gles_delegate {

struct ReduceAttributes {
  std::array<bool, 4> over = {};  // B, H, W, C
  // Rank 4, axes given as 1 and 2 in the model, and kept: TFLite has special
  // kernels for its 8-bit mean.
  bool over_plane = false;
  // The same, or with axes given as -3 and -2: newer runtimes.
  bool over_plane_by_any_name = false;
  // 8-bit MEAN and SUM in TFLite's integer arithmetic; else null.
  std::shared_ptr<const CodeSums> quantized;
  std::vector<TransposeStep> moves;  // of the input, before
  std::vector<int> folded;  // the input's dims above rank 4, folded; else empty
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_REDUCTION_REDUCE_H_
