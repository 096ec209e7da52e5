// Builds a verified executor from a partition's graph: plans, builds from the
// start-up cache or from scratch, and runs the self-check.
#ifndef GLES_DELEGATE_DELEGATE_PARTITION_PARTITION_BUILDER_H_
#define GLES_DELEGATE_DELEGATE_PARTITION_PARTITION_BUILDER_H_

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
#include "delegate/partition/plan_partition.h"
#include "delegate/plan/dispatch.h"
#include "delegate/runtime/executor.h"
#include "delegate/runtime/gpu_memory.h"
#include "egl/context.h"

namespace gles_delegate {

// The options for building.
struct BuildOptions {
  CacheOptions cache;  // without a directory: no cache
  bool checks_itself = true;
  bool may_change_storage = true;  // the user chose no storage
  bool is_verbose = true;          // some more warnings
};

// Threads: one at a time; Build() inside context.Run(), with
// SharedObjects::building held. All references and pointers given to the
// constructor, except the profile, must outlive the builder.
class PartitionBuilder {
 public:
  PartitionBuilder(const egl::Context& context, SharedObjects* objects,
                   const DeviceProfile& profile, BuildOptions options,
                   std::vector<int> nodes, BuildReport* report);

  // Sets the inputs and outputs with app's buffers, from the next Build() on.
  void Bind(BoundTransfers bound) { bound_ = std::move(bound); }

  // Builds in another context of the same device from now on.
  void UseContext(const egl::Context& context, SharedObjects* objects) {
    context_ = &context;
    objects_ = objects;
  }

  // Builds `graph`, a partition as read and prepared for the integer path;
  // `original` is the partition before that, for the self-check. Fills in the
  // report. Only the first call falls back to simpler shaders; later calls
  // reuse the choice. kFailedPrecondition: the
  // driver miscomputes even the simplest shaders. Otherwise the errors of
  // planning or building.
  absl::StatusOr<std::unique_ptr<Executor>> Build(const Graph& graph,
                                                  const Graph& original);

  // Dumps planning results if the environment asks for it; Build() adds each
  // plan.
  PlanDump* dump() { return &dump_; }

  // Returns and clears the warnings of the last Build(), one per line.
  std::vector<std::string> TakeWarnings();

 private:
  absl::StatusOr<std::unique_ptr<Executor>> PlanAndMake(StageTimer* timer);
  // Whether only inputs and outputs are wrong, and the host can pack and unpack
  // them without a program.
  bool HostCanTakeOver() const;
  // Adds wrong_answer_ to the report, and returns the warning of it.
  std::string NoteWrong(absl::string_view instead);
  absl::StatusOr<std::unique_ptr<Executor>> Make(
      const PlannedPartition& planned);
  // kInternal if an earlier start found that the plan's programs miscompute;
  // sets wrong_answer_.
  absl::Status CheckEarlierVerdict(const std::string& plan);
  // Runs the self-check of the final programs. kInternal: they miscompute; sets
  // wrong_answer_.
  absl::Status CheckPrograms(const PlannedPartition& planned,
                             const std::string& plan);
  // The start-up cache's subject; `plan` must outlive the result.
  CacheSubject SubjectOf(absl::string_view plan) const;
  std::string Driver() const;  // "renderer (version)"

  const egl::Context* context_;
  SharedObjects* objects_;
  DeviceProfile profile_;
  BuildOptions options_;
  const std::vector<int> nodes_;  // of the partition, the model's indices
  BuildReport* const report_;
  BoundTransfers bound_;
  PlanDump dump_ = PlanDump::FromEnvironment();
  // Only during Build().
  const Graph* graph_ = nullptr;
  const Graph* original_ = nullptr;
  std::string wrong_answer_;  // of the last plan; empty: none
  // Not yet reported.
  std::string cache_warning_;
  std::string host_warning_;
  std::string self_check_warning_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PARTITION_PARTITION_BUILDER_H_
