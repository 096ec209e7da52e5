// Slices of a tensor picked by indices that are tensors themselves, of any
// rank: what GATHER by runtime indices or in batches and GATHER_ND have in
// common.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_LINEAR_GATHER_H_
#define GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_LINEAR_GATHER_H_

#include <array>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "delegate/graph/op.h"

namespace gles_delegate {

// In linear element order the source is [batch, outer, extents..., inner], the
// indices [batch, count, depth] and the output [batch, outer, count, inner]: an
// index names `depth` axes, whose extents these are.
struct LinearGather {
  int count = 1;
  int outer = 1;
  int inner = 1;
  int depth = 1;
  std::array<int, 4> extents = {1, 1, 1, 1};
};

// Indices below 0 count as 0, those past an axis as its last.
absl::Status AddLinearGather(Planner* planner, TensorId src, TensorId indices,
                             TensorId dst, const LinearGather& gather);

// Shaders that walk a tensor in linear order count its elements as int32.
// kUnimplemented: there are more.
absl::Status CheckCountable(const Tensor& tensor);

// Indices for a shader: int32, or int64 constants. kUnimplemented: another
// type, int64 at run time. kInvalidArgument: none.
absl::Status CheckIndices(const NodeView& node, int input);

// What GATHER and GATHER_ND have in common: input 0 is moved, input 1 holds the
// indices, and shaders can count the elements of each tensor.
absl::Status CheckGather(const NodeView& node);

// kInvalidArgument: a constant index lies outside of its axis, of `extents` in
// turn. Indices of run time are not looked at.
absl::Status CheckConstantIndices(const Tensor& indices,
                                  absl::Span<const int> extents);

// The indices as a tensor of int32: an int64 constant becomes one.
absl::StatusOr<TensorId> IndicesAsInt32(Planner* planner, TensorId id);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_LINEAR_GATHER_H_
