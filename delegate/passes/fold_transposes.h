// Transposes and reshapes that undo or follow one another.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_FOLD_TRANSPOSES_H_
#define GLES_DELEGATE_DELEGATE_PASSES_FOLD_TRANSPOSES_H_

#include "absl/status/status.h"
#include "delegate/graph/graph.h"

namespace gles_delegate {

// - Two transposes in a row, the first read by the second alone, become one; so
//   do two reshapes. Functions of one tensor fused into the first go along.
// - A transpose that leaves the order of the elements as it is (its axes of
// more
//   than one element stay in order) becomes a reshape.
// - What is left of such a pair between tensors of one shape is an elementwise
//   node, or, without functions, an identity: run FuseElementwise and
//   RemoveIdentityNodes afterwards.
// Does not fire where something else reads the tensor between, or where a
// function of the first has a tensor for an operand. Linear in the nodes.
absl::Status FoldTransposes(Graph* graph);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_FOLD_TRANSPOSES_H_
