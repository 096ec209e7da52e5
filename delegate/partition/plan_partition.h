// From a partition as it was read to what runs: the passes, then the plan.
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
  // After those that change what tensors hold, before those that fuse: every
  // tensor of both graphs holds the same.
  Graph unfused;
  std::vector<Dispatch> dispatches;
  // Why it was planned without the passes after all; Ok: it was not.
  absl::Status passes_dropped;
};

// What was accepted node by node runs: where the graph cannot be planned after
// the passes, it is planned without them, and `passes_dropped` says so. `timer`
// and `dump` may be null.
absl::StatusOr<PlannedPartition> PlanPartition(const Graph& graph,
                                               const DeviceProfile& profile,
                                               StageTimer* timer,
                                               PlanDump* dump = nullptr);

// The trials of `tuning: exhaustive`: one partition under one profile after the
// other, on the same random inputs (floats; codes; integers are zero, as they
// may be indices).
class PartitionTrials {
 public:
  // Both must outlive it. `graph` is as read, before the passes.
  PartitionTrials(const egl::Context& context, const Graph& graph);

  // The least time of an inference in ms, host copies included: of ten that
  // follow two others, or of fewer where those take longer than a quarter of a
  // second. Builds an executor of its own and drops it. The outputs of the
  // first profile are the reference. kDataLoss, with the output and the values:
  // a later profile's output differs from the reference. Codes and integers may
  // not differ. Floats may differ by kFloatBound of the output's largest
  // magnitude (kHalfBound with 16-bit storage), which another order of sums
  // makes, and a quantized output that floats are rounded to by one code.
  // Inside context.Run().
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
