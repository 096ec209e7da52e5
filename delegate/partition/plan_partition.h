// Plans a partition as read: runs the passes, then the planner.
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
