// From a partition as it was read to what runs: the passes, then the plan.
#ifndef GLES_DELEGATE_DELEGATE_PLAN_PARTITION_H_
#define GLES_DELEGATE_DELEGATE_PLAN_PARTITION_H_

#include <vector>

#include "absl/status/statusor.h"
#include "delegate/graph.h"
#include "delegate/plan.h"
#include "delegate/stage_times.h"
#include "egl/context.h"

namespace gles_delegate {

struct PlannedPartition {
  Graph graph;  // after the passes
  std::vector<Dispatch> dispatches;
};

// What was accepted node by node runs: where the graph cannot be planned after
// the passes, it is planned without them. `timer` may be null.
absl::StatusOr<PlannedPartition> PlanPartition(const Graph& graph,
                                               const DeviceProfile& profile,
                                               StageTimer* timer);

// The least time of an inference on zeros, in ms, host copies included: of ten
// after two, or of fewer where they take longer than a quarter of a second.
// Builds an executor of its own and drops it. Inside context.Run().
absl::StatusOr<double> MeasureInference(const egl::Context& context,
                                        const Graph& graph,
                                        const DeviceProfile& profile);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PLAN_PARTITION_H_
