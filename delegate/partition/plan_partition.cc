#include "delegate/partition/plan_partition.h"

#include <utility>

#include "base/status_macros.h"
#include "delegate/partition/fold_constants.h"
#include "delegate/passes/passes.h"
#include "delegate/plan/share_programs.h"

namespace gles_delegate {

absl::StatusOr<PlannedPartition> PlanPartition(const Graph& graph,
                                               const DeviceProfile& profile,
                                               StageTimer* timer,
                                               PlanDump* dump) {
  const auto lap = [timer](const char* stage) {
    if (timer != nullptr) timer->Lap(stage);
  };
  PlanDump nowhere;
  if (dump == nullptr) dump = &nowhere;
  PlannedPartition planned{graph, {}, {}, absl::OkStatus()};
  dump->AddGraph("read", planned.graph);
  RETURN_IF_ERROR(FoldConstants(&planned.graph));
  dump->AddGraph("fold_constants", planned.graph);
  PassContext context = {profile};
  context.notes = dump->notes();
  for (const PassStage stage : {PassStage::kFold, PassStage::kFuse}) {
    RETURN_IF_ERROR(RunPasses(stage, context, &planned.graph,
                              [dump](absl::string_view pass, const Graph& g) {
                                dump->AddGraph(pass, g);
                              }));
    if (stage == PassStage::kFold) planned.unfused = planned.graph;
  }
  lap("passes");
  auto dispatches = PlanGraph(&planned.graph, profile);
  if (!dispatches.ok()) {
    planned.passes_dropped = dispatches.status();
    planned.graph = planned.unfused = graph;
    dump->AddGraph("passes_dropped", planned.graph);
    dispatches = PlanGraph(&planned.graph, profile);
    if (!dispatches.ok()) return dispatches.status();
  }
  planned.dispatches = *std::move(dispatches);
  SharePrograms(planned.graph, profile, &planned.dispatches);
  FixParams(planned.graph, profile, &planned.dispatches);
  dump->AddPlan(planned.graph, planned.dispatches);
  lap("plan");
  return planned;
}

}  // namespace gles_delegate
