// One partition from its graph to an executor that may be trusted: tuned where
// that is asked for, planned, built from the start-up cache or anew, and
// checked against the host.
#ifndef GLES_DELEGATE_DELEGATE_PARTITION_PARTITION_BUILDER_H_
#define GLES_DELEGATE_DELEGATE_PARTITION_PARTITION_BUILDER_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "delegate/cache/cache_store.h"
#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"
#include "delegate/partition/partition_report.h"
#include "delegate/partition/plan_dump.h"
#include "delegate/partition/plan_partition.h"
#include "delegate/plan/dispatch.h"
#include "delegate/runtime/executor.h"
#include "delegate/runtime/shared_objects.h"
#include "egl/context.h"

namespace gles_delegate {

// What the user's options say of building.
struct BuildOptions {
  CacheOptions cache;  // its directory is empty where there is no cache
  bool checks_itself = true;
  bool tunes = false;                // `tuning: exhaustive`
  bool may_change_storage = true;    // no storage was asked for
  bool tells_passes_dropped = true;  // among the warnings
};

// Threads: one at a time; Build() inside context.Run(), with
// SharedObjects::building held. Everything that the
// constructor takes by reference or pointer must outlive the builder, but the
// profile.
class PartitionBuilder {
 public:
  PartitionBuilder(const egl::Context& context, SharedObjects* objects,
                   const DeviceProfile& profile, BuildOptions options,
                   std::vector<int> nodes, BuildReport* report);

  // Which inputs and outputs the app brings buffers for, from the next Build()
  // on.
  void Bind(BoundTransfers bound) { bound_ = std::move(bound); }

  // Builds in another context of the same device from here on.
  void UseContext(const egl::Context& context, SharedObjects* objects) {
    context_ = &context;
    objects_ = objects;
  }

  // Builds `graph`, a partition as it was read and given its codes; `original`
  // is the partition before that, which the self-check goes by. Fills in the
  // report. A search for the fastest settings is
  // made by the first call alone, as is the choice of plainer shaders: both are
  // kept for later calls.
  // kFailedPrecondition: the driver answers wrongly even with the plainest
  // shaders. Others: what planning or building gave.
  absl::StatusOr<std::unique_ptr<Executor>> Build(const Graph& graph,
                                                  const Graph& original);

  // Writes what planning makes of the partition, where the environment asks for
  // that; Build() adds each plan.
  PlanDump* dump() { return &dump_; }
  bool dumps_plans() const { return dump_.is_on(); }

  // Has Build() call `tell` now and then while it does what takes long; a null
  // function: it says nothing.
  void TellProgressTo(std::function<void(const std::string&)> tell) {
    tell_ = std::move(tell);
  }

  // What the last Build() has to tell the user, a line each; then no more.
  std::vector<std::string> TakeWarnings();

 private:
  absl::StatusOr<std::unique_ptr<Executor>> PlanAndMake(StageTimer* timer);
  absl::StatusOr<std::unique_ptr<Executor>> PlanAgainPlainly(StageTimer* timer);
  absl::StatusOr<std::unique_ptr<Executor>> Make(
      const PlannedPartition& planned);
  absl::Status Tune();
  // kInternal, where an earlier start found that the plan's programs answer
  // wrongly; wrong_answer_ says how.
  absl::Status CheckEarlierVerdict(const std::string& plan);
  // Holds the programs of what is to run against the host. kInternal: they
  // answer wrongly, and wrong_answer_ says how.
  absl::Status CheckPrograms(const PlannedPartition& planned,
                             const std::string& plan);
  // What the start-up cache goes by; `plan` must outlive the result.
  CacheSubject SubjectOf(absl::string_view plan) const;
  std::string Driver() const;  // "renderer (version)"

  const egl::Context* context_;
  SharedObjects* objects_;
  DeviceProfile profile_;
  BuildOptions options_;
  std::function<void(const std::string&)> tell_;
  const std::vector<int> nodes_;  // of the partition, the model's indices
  BuildReport* const report_;
  BoundTransfers bound_;
  PlanDump dump_ = PlanDump::FromEnvironment();
  // During Build() alone.
  const Graph* graph_ = nullptr;
  const Graph* original_ = nullptr;
  std::string wrong_answer_;  // of the last plan; empty: none
  // Not told yet.
  std::string cache_warning_;
  std::string self_check_warning_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PARTITION_PARTITION_BUILDER_H_
