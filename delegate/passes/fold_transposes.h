// Simplifies sequences of transposes and reshapes.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_FOLD_TRANSPOSES_H_
#define GLES_DELEGATE_DELEGATE_PASSES_FOLD_TRANSPOSES_H_

#include "absl/status/status.h"
#include "delegate/graph/graph.h"

namespace gles_delegate {

// - Merges two successive transposes if only the second reads the first; the
//   same for two reshapes. Post-ops without an operand move to the second node;
//   a post-op with one prevents merging.
// - Turns a transpose into a reshape if the order of elements stays the same,
//   that is if its axes of more than one element stay in order.
// - Turns a chain of transposes and reshapes into a reshape if its elements end
//   in the order in which they began.
// - If both ends of a pair have the same shape, leaves an elementwise node, or
//   without post-ops an identity, for FuseElementwise and RemoveIdentityNodes.
absl::Status FoldTransposes(Graph* graph);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_FOLD_TRANSPOSES_H_
