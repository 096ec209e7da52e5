// Computes the nodes that only unpack, relabel or transpose a constant, when
// the graph is planned and not at each Invoke: DEQUANTIZE, DENSIFY, RESHAPE,
// SQUEEZE, EXPAND_DIMS, TRANSPOSE.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_FOLD_CONSTANTS_H_
#define GLES_DELEGATE_DELEGATE_PASSES_FOLD_CONSTANTS_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "delegate/graph/graph.h"

namespace gles_delegate {

// True: the node's output is now a constant of `graph`, and the node has
// nothing left to run. False: the node is of another op, or its input is not
// constant. Relabelled and 16-bit constants share the bytes of the input:
// DEQUANTIZE of float16 leaves its output float16. 8-bit constants become
// float32. kInvalidArgument: a malformed constant, whose sparsity does not fit
// its shape, say.
absl::StatusOr<bool> FoldConstantNode(Graph* graph, const Node& node);

// Folds every node that can be folded, and removes the folded nodes.
absl::Status FoldConstants(Graph* graph);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_FOLD_CONSTANTS_H_
