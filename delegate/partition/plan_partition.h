// Plans a partition as read: runs the passes, then the planner.
#ifndef GLES_DELEGATE_DELEGATE_PARTITION_PLAN_PARTITION_H_
#define GLES_DELEGATE_DELEGATE_PARTITION_PLAN_PARTITION_H_

#include <vector>

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

// The measurements of `tuning: exhaustive`: runs a partition with one profile
// after the other on the same inputs (random floats and quantized values; zero
// for integers, which may be indices).
class PartitionTrials {
 public:
  // Both must outlive this. `graph` is as read, before the passes.
  PartitionTrials(const egl::Context& context, const Graph& graph);

  // The minimum time of an inference in ms, host copies included, of ten after
  // two warm-ups, or fewer if these take over a quarter of a second. Uses a
  // temporary executor. The outputs of the first profile are the reference.
  // kDataLoss, with the output and the values: an output differs from it.
  // Quantized values and integers must be equal. Floats may differ by
  // kFloatBound of the output's largest magnitude (kHalfBound with 16-bit
  // storage), as from another order of sums, and quantized outputs rounded from
  // floats by one step. Inside context.Run().
  absl::StatusOr<double> Measure(const DeviceProfile& profile);

  static constexpr float kFloatBound = 1e-3f;
  static constexpr float kHalfBound = 3e-2f;

 private:
  using Values = std::vector<std::vector<uint8_t>>;
  absl::Status Compare(const Graph& graph, const Values& outputs,
                       bool half) const;

  const egl::Context& context_;
  const Graph& graph_;
  Values inputs_;
  Values reference_;  // empty: nothing was measured yet
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PARTITION_PLAN_PARTITION_H_
