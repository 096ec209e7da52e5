// Plans a partition as read: folds constants, runs the passes, then the
// planner.
#ifndef GLES_DELEGATE_DELEGATE_PARTITION_PLAN_PARTITION_H_
#define GLES_DELEGATE_DELEGATE_PARTITION_PLAN_PARTITION_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "delegate/graph/graph.h"
#include "delegate/partition/plan_dump.h"
#include "delegate/plan/planner.h"
#include "delegate/runtime/stage_times.h"
#include "egl/context.h"

namespace gles_delegate {

// --- Nodes of constants alone ------------------------------------------------

// They are computed before anything is planned. Values that follow from shapes
// are constants by then (delegate/tflite/propagate_shapes.cc).

// Folds a node that unpacks, relabels or transposes a constant: DEQUANTIZE,
// DENSIFY, RESHAPE, SQUEEZE, EXPAND_DIMS, TRANSPOSE. True: the node's output is
// now a constant of `graph`, and the node has nothing left to run. False:
// another op, or the input is not constant. Relabelled and 16-bit constants
// share the input's bytes (DEQUANTIZE of float16 leaves its output float16);
// 8-bit constants become float32. kInvalidArgument: a malformed constant, such
// as a sparsity that does not fit its shape.
absl::StatusOr<bool> FoldConstantNode(Graph* graph, const Node& node);

// Folds all such nodes, and computes small tensors that depend on constants
// alone, such as the masks and positions of exported transformers, by the
// reference of the self-check. Removes nodes whose outputs become constants.
// Leaves a node if an output is the graph's, large, quantized, infinite or NaN,
// if the reference does not know the op, or if a value is too close to a step
// to be sure of. O(nodes + elements folded), which are bounded. Errors are
// those of FoldConstantNode().
absl::Status FoldConstants(Graph* graph);

// --- The plan ----------------------------------------------------------------

struct PlannedPartition {
  Graph graph;  // after the passes
  // After the passes that change tensors' contents, before those that fuse: the
  // tensors of both graphs have the same contents.
  Graph unfused;
  std::vector<Dispatch> dispatches;
  // Why it was planned without the passes; Ok: it was planned with them.
  absl::Status passes_dropped;
};

// Nodes that were accepted always run: if the graph cannot be planned after the
// passes, it is planned without them, and `passes_dropped` says why. `timer`
// and `dump` may be null.
absl::StatusOr<PlannedPartition> PlanPartition(const Graph& graph,
                                               const DeviceProfile& profile,
                                               StageTimer* timer,
                                               PlanDump* dump = nullptr);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PARTITION_PLAN_PARTITION_H_
