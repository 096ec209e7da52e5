// Constants through the ops that only unpack or relabel them: DEQUANTIZE,
// DENSIFY, RESHAPE, SQUEEZE, EXPAND_DIMS, TRANSPOSE.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_FOLD_CONSTANTS_H_
#define GLES_DELEGATE_DELEGATE_PASSES_FOLD_CONSTANTS_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "delegate/graph/graph.h"

namespace gles_delegate {

// True: the node's outputs are constants of `graph` now, and the node has
// nothing left to run. False: it is no such op, or its input is not constant.
// The bytes of relabelled and of 16-bit constants are shared, not copied:
// DEQUANTIZE of float16 leaves its output float16. 8-bit ones become float32.
// kInvalidArgument: a malformed constant (sparsity that does not fit the
// shape).
absl::StatusOr<bool> FoldConstantNode(Graph* graph, const Node& node);

// Folds every node that it can, and removes it.
absl::Status FoldConstants(Graph* graph);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_FOLD_CONSTANTS_H_
