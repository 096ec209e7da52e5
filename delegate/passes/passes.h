// The passes over a graph, in order.
#ifndef GLES_DELEGATE_DELEGATE_PASSES_PASSES_H_
#define GLES_DELEGATE_DELEGATE_PASSES_PASSES_H_

#include "absl/status/status.h"
#include "delegate/graph/graph.h"
#include "delegate/passes/fuse_elementwise.h"

namespace gles_delegate {

// Each pass is linear in the graph's nodes. The result computes the same
// outputs, under the same tensor ids. `max_tensors`: how many tensors and
// packed constants a dispatch may bind (MaxBoundTensors of
// delegate/plan/planner.h); the default is what every device has. `half`:
// weights are stored in 16 bits. kInvalidArgument: a malformed constant.
absl::Status RunPasses(Graph* graph, int max_tensors = kMinimalBoundTensors,
                       bool half = false);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PASSES_PASSES_H_
