// Computes small tensors that depend on constants alone, such as the masks and
// positions of exported transformers, once on the host, by the reference of the
// self-check.
#ifndef GLES_DELEGATE_DELEGATE_PARTITION_FOLD_COMPUTED_H_
#define GLES_DELEGATE_DELEGATE_PARTITION_FOLD_COMPUTED_H_

#include "absl/status/status.h"
#include "delegate/graph/graph.h"

namespace gles_delegate {

// Removes nodes whose outputs become constants, those of FoldConstantNode()
// too. Leaves a node if an output is the graph's, large, quantized, infinite or
// NaN, if the reference does not know the op, or if a value is too close to a
// step to be sure of. O(nodes + elements folded), which are bounded. Errors are
// those of FoldConstantNode().
absl::Status FoldComputed(Graph* graph);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PARTITION_FOLD_COMPUTED_H_
