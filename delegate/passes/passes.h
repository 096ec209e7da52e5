// The passes over a graph, in order.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_PASSES_H_
#define GLES_DELEGATE_DELEGATE_PASSES_PASSES_H_

#include "absl/status/status.h"
#include "delegate/graph.h"

namespace gles_delegate {

// Each pass is linear in the graph's nodes. The result computes the same
// outputs, under the same tensor ids. kInvalidArgument: a malformed constant.
absl::Status RunPasses(Graph* graph);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_PASSES_H_
