// DENSIFY of a sparse constant. It runs nowhere: its output is a constant once
// FoldConstantNode (delegate/passes/fold_constants.h) has seen it.
#ifndef GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_DENSIFY_H_
#define GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_DENSIFY_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "delegate/graph/graph.h"
#include "delegate/graph/op.h"

namespace gles_delegate {

// kUnimplemented: the input is computed at run time. kInvalidArgument: it
// carries no sparsity, or the shapes differ.
ParseFunction ParseDensify;

// The constant's elements at their places, zero elsewhere, in the tensor's own
// type. kInvalidArgument where the sparsity contradicts itself or the shape.
absl::StatusOr<std::vector<uint8_t>> DenseBytes(const Tensor& sparse);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_MOVEMENT_DENSIFY_H_
