// Gathers slices by index tensors of any rank: GATHER_ND, and GATHER with
// indices computed at run time or batches.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_LINEAR_GATHER_H_
#define GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_LINEAR_GATHER_H_

#include <array>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "delegate/graph/op.h"

namespace gles_delegate {

// In linear element order the source is [batch, outer, extents..., inner], the
// indices [batch, count, depth] and the output [batch, outer, count, inner]. An
// index has `depth` components, one for each of `extents`.
struct LinearGather {
  int count = 1;
  int outer = 1;
  int inner = 1;
  int depth = 1;
  std::array<int, 4> extents = {1, 1, 1, 1};
};

// Indices are clamped to their axes.
absl::Status AddLinearGather(Planner* planner, TensorId src, TensorId indices,
                             TensorId dst, const LinearGather& gather);

// kUnimplemented: too many elements for shaders that index a tensor linearly
// with int32.
absl::Status CheckCountable(const Tensor& tensor);

// Checks shared by GATHER and GATHER_ND: input 0 is movable, input 1 has
// indices, and all tensors pass CheckCountable().
absl::Status CheckGather(const NodeView& node);

// How many axes of a tensor of `dims` an index [..., depth] names.
// kUnimplemented: more than it has, or than 4.
absl::StatusOr<int> DepthOfIndices(const Tensor& indices,
                                   absl::Span<const int> dims);

// kInvalidArgument: a constant index is outside its axis, cycling through
// `extents`. Ignores indices computed at run time.
absl::Status CheckConstantIndices(const Tensor& indices,
                                  absl::Span<const int> extents);

// The indices as an int32 tensor; converts an int64 constant.
absl::StatusOr<TensorId> IndicesAsInt32(Planner* planner, TensorId id);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_LINEAR_GATHER_H_
