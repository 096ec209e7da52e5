// Transposes and reshapes that undo or follow one another.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_FOLD_TRANSPOSES_H_
#define GLES_DELEGATE_DELEGATE_PASSES_FOLD_TRANSPOSES_H_

#include "absl/status/status.h"
#include "delegate/graph/graph.h"

namespace gles_delegate {

// - Two transposes in a row become one, where nothing but the second reads what
//   the first writes; so do two reshapes. Post-ops of the first node that have
//   no operand move to the second; where a post-op has an operand, nothing is
//   done.
// - A transpose becomes a reshape where the elements keep their order: where
//   its axes of more than one element stay in order.
// - Where both ends of a pair have the same shape, an elementwise node is left,
//   or, without post-ops, an identity: FuseElementwise and RemoveIdentityNodes
//   take these afterwards.
absl::Status FoldTransposes(Graph* graph);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_FOLD_TRANSPOSES_H_
