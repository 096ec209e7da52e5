#include "delegate/partition/partition_builder.h"

#include <any>
#include <cstddef>
#include <iterator>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "base/hash_tables.h"
#include "base/status_macros.h"
#include "delegate/ops/movement/gather.h"
#include "delegate/partition/self_check_transfers.h"
#include "egl/objects.h"

namespace gles_delegate {
namespace {

// With 16-bit storage, keeps in 32 bits inputs that DYNAMIC_UPDATE_SLICE
// updates, and the outputs with the result, if both have objects of 32-bit
// texels: these are then the tensors' memory (runtime/schedule.h). Copies with
// another type in each inference take longer than the 16 bits save. Before any
// pass.
void KeepCachesInFloat32(const BoundTransfers& bound, Graph* graph) {
  const auto holds_texels = [](const std::vector<ObjectForm>& forms,
                               ptrdiff_t position) {
    return position < static_cast<ptrdiff_t>(forms.size()) &&
           forms[position].holds_texels;
  };
  // Of each tensor that updates of an input lead to: the input's position.
  HashMap<TensorId, ptrdiff_t> updated;
  for (size_t i = 0; i < graph->inputs.size(); ++i) {
    updated[graph->inputs[i]] = static_cast<ptrdiff_t>(i);
  }
  for (const Node& node : graph->nodes) {
    if (std::any_cast<UpdateSlice>(&node.attributes) == nullptr) continue;
    const auto from = updated.find(node.inputs[0]);
    if (from == updated.end()) continue;
    const ptrdiff_t input = from->second;
    const TensorId to = node.outputs[0];
    updated[to] = input;
    const auto output = absl::c_find(graph->outputs, to);
    if (output == graph->outputs.end() || !holds_texels(bound.inputs, input) ||
        !holds_texels(bound.outputs,
                      std::distance(graph->outputs.begin(), output))) {
      continue;
    }
    for (const auto& [id, of] : updated) {
      if (of == input) graph->tensor(id).always_float32 = true;
    }
  }
}

// The text that keeps the verdict on a plan whose programs miscompute. A plan
// that passed needs none: its cache file is written only after the self-check
// (PartitionCache::DeferSave).
std::string VerdictOf(const std::string& plan) {
  return absl::StrCat("wrong: ", plan);
}

}  // namespace

PartitionBuilder::PartitionBuilder(const egl::Context& context,
                                   SharedObjects* objects,
                                   const DeviceProfile& profile,
                                   BuildOptions options, std::vector<int> nodes,
                                   BuildReport* report)
    : context_(&context),
      objects_(objects),
      profile_(profile),
      options_(std::move(options)),
      nodes_(std::move(nodes)),
      report_(report) {}

absl::StatusOr<std::unique_ptr<Executor>> PartitionBuilder::Build(
    const Graph& graph, const Graph& original) {
  graph_ = &graph;
  original_ = &original;
  report_->stages = StageTimes();
  StageTimer timer(&report_->stages);
  report_->self_check_faults.clear();
  auto executor = PlanAndMake(&timer);
  if (HostCanTakeOver()) {
    host_warning_ =
        NoteWrong("the host packs inputs and unpacks outputs instead");
    profile_.choices.host_transfers = 1;
    report_->self_check = "host packs";
    executor = PlanAndMake(&timer);
  }
  if (!wrong_answer_.empty()) {
    self_check_warning_ =
        NoteWrong("the partition is planned again with plainer shaders");
    profile_ = FallbackProfile(profile_, !options_.may_change_storage);
    report_->self_check = "fallback";
    executor = PlanAndMake(&timer);
  }
  if (!wrong_answer_.empty()) {
    report_->self_check_faults.push_back(wrong_answer_);
    return absl::FailedPreconditionError(absl::StrCat(
        Driver(),
        " answers wrongly with the plainest shaders, too: ", wrong_answer_,
        "; the model stays on the CPU (self_check=0 runs it all the same)"));
  }
  if (!executor.ok()) return executor;
  report_->stats = (*executor)->stats();
  report_->stages.Add((*executor)->stats().stages);
  return executor;
}

std::vector<std::string> PartitionBuilder::TakeWarnings() {
  std::vector<std::string> lines;
  if (options_.is_verbose && !report_->passes_dropped.empty()) {
    lines.push_back(absl::StrCat(
        "a partition of ", nodes_.size(),
        " nodes runs node by node, without the passes that fuse them, as it "
        "could not be planned after them: ",
        report_->passes_dropped));
  }
  if (std::string line = dump_.TakeWarning(); !line.empty()) {
    lines.push_back(std::move(line));
  }
  for (std::string* line :
       {&cache_warning_, &host_warning_, &self_check_warning_}) {
    if (!line->empty()) lines.push_back(std::exchange(*line, ""));
  }
  return lines;
}

absl::StatusOr<std::unique_ptr<Executor>> PartitionBuilder::PlanAndMake(
    StageTimer* timer) {
  wrong_answer_.clear();
  Graph graph = *graph_;
  KeepCachesInFloat32(bound_, &graph);
  ASSIGN_OR_RETURN(auto planned, PlanPartition(graph, profile_, timer, &dump_));
  report_->nodes_after_passes = static_cast<int>(planned.graph.nodes.size());
  if (!planned.passes_dropped.ok()) {
    report_->passes_dropped = std::string(planned.passes_dropped.message());
  }
  report_->fates = FatesOfNodes(nodes_, *original_, planned.graph);
  report_->dispatches = ReportsOf(planned.dispatches);
  return Make(planned);
}

bool PartitionBuilder::HostCanTakeOver() const {
  return IsTransferFault(wrong_answer_) &&
         gl_shaders::IsBuffer(profile_.choices.storage) &&
         profile_.choices.host_transfers == 0;
}

std::string PartitionBuilder::NoteWrong(absl::string_view instead) {
  report_->self_check_faults.push_back(wrong_answer_);
  return absl::StrCat(Driver(), " answers wrongly: ", wrong_answer_, "; ",
                      instead);
}

absl::StatusOr<std::unique_ptr<Executor>> PartitionBuilder::Make(
    const PlannedPartition& planned) {
  StageTimer timer(&report_->stages);
  std::string plan;  // the cache's and share_key's alone
  std::unique_ptr<PartitionCache> cache;
  ConstantSharing sharing = {&objects_->constants, {}};
  if (!options_.cache.directory.empty() || objects_->by_key) {
    plan = PlanToString(planned.graph, planned.dispatches);
  }
  if (objects_->by_key) {
    sharing.plan = IdentityOf(SubjectOf(plan)).key;
  }
  if (!options_.cache.directory.empty()) {
    cache = PartitionCache::Open(options_.cache, SubjectOf(plan));
  }
  timer.Lap("cache_open");
  const bool checks =
      options_.checks_itself && (cache == nullptr || !cache->loading());
  if (checks && cache != nullptr) {
    cache->DeferSave();
    RETURN_IF_ERROR(CheckEarlierVerdict(plan));
  }
  if (options_.checks_itself && !checks && report_->self_check == "off") {
    report_->self_check = "cached";
  }
  const auto create = [&] {
    return Executor::Create(*context_, &objects_->programs, planned.graph,
                            planned.dispatches, profile_, cache.get(), bound_,
                            sharing);
  };
  auto executor = create();
  if (cache != nullptr && cache->loading() &&
      absl::IsDataLoss(executor.status())) {
    cache->Reject(executor.status());
    executor = create();
  }
  if (executor.ok() && checks) {
    timer.Lap("executor");
    RETURN_IF_ERROR(CheckPrograms(planned, plan));
    timer.Lap("self_check");
  }
  if (cache != nullptr) {
    cache->CommitSave();
    report_->cache = cache->report();
    if (!cache->warning().empty()) cache_warning_ = cache->warning();
  }
  return executor;
}

absl::Status PartitionBuilder::CheckEarlierVerdict(const std::string& plan) {
  const std::string wrong =
      ReadText(options_.cache, SubjectOf(VerdictOf(plan)));
  if (wrong.empty()) return absl::OkStatus();
  wrong_answer_ = absl::StrCat(wrong, " (found by an earlier start)");
  return absl::InternalError(wrong_answer_);
}

absl::Status PartitionBuilder::CheckPrograms(const PlannedPartition& planned,
                                             const std::string& plan) {
  const auto result =
      SelfCheck({*context_, *original_, planned.unfused, planned.graph,
                 planned.dispatches, profile_, bound_},
                objects_);
  if (!result.ok()) {
    egl::CheckGl("the self-check").IgnoreError();
    report_->self_check = absl::StrCat("none: ", result.status().message());
    return absl::OkStatus();
  }
  report_->self_check_result = *result;
  if (result->ok()) {
    if (report_->self_check != "fallback" &&
        report_->self_check != "host packs") {
      report_->self_check = result->Verdict();
    }
    return absl::OkStatus();
  }
  report_->self_check = "wrong";
  wrong_answer_ = result->faults.front();
  if (result->faults.size() > 1) {
    absl::StrAppend(&wrong_answer_, " (and ", result->faults.size() - 1,
                    " nodes more)");
  }
  KeepText(options_.cache, SubjectOf(VerdictOf(plan)), wrong_answer_);
  return absl::InternalError(wrong_answer_);
}

CacheSubject PartitionBuilder::SubjectOf(absl::string_view plan) const {
  return {context_->device(), profile_, *graph_, plan};
}

std::string PartitionBuilder::Driver() const {
  const egl::DeviceInfo& device = context_->device();
  return absl::StrCat(device.renderer, " (", device.version, ")");
}

}  // namespace gles_delegate
