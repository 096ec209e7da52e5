// DENSIFY of a sparse constant, always folded (FoldConstantNode,
// delegate/partition/fold_constants.h).
#ifndef GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_DENSIFY_H_
#define GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_DENSIFY_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "delegate/graph/graph.h"
#include "delegate/graph/op.h"

namespace gles_delegate {

// The constant's elements in dense order, zero elsewhere, in the tensor's type.
// kInvalidArgument: the sparsity contradicts itself or the shape.
absl::StatusOr<std::vector<uint8_t>> DenseBytes(const Tensor& sparse);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_DENSIFY_H_
