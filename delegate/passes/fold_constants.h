// Constant folding at planning time for nodes that unpack, relabel or transpose
// a constant: DEQUANTIZE, DENSIFY, RESHAPE, SQUEEZE, EXPAND_DIMS, TRANSPOSE.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_FOLD_CONSTANTS_H_
#define GLES_DELEGATE_DELEGATE_PASSES_FOLD_CONSTANTS_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "delegate/graph/graph.h"

namespace gles_delegate {

// True: the node's output is now a constant of `graph`, and the node has
// nothing left to run. False: another op, or the input is not constant.
// Relabelled and 16-bit constants share the input's bytes (DEQUANTIZE of
// float16 leaves its output float16); 8-bit constants become float32.
// kInvalidArgument: a malformed constant, such as a sparsity that does not fit
// its shape.
absl::StatusOr<bool> FoldConstantNode(Graph* graph, const Node& node);

// Folds all such nodes and removes them.
absl::Status FoldConstants(Graph* graph);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_FOLD_CONSTANTS_H_
