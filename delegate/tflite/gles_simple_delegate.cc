#include "delegate/tflite/gles_simple_delegate.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "delegate/tflite/kernel.h"

namespace gles_delegate {
namespace {

void Log(TfLiteContext* context, const std::string& text) {
  context->ReportError(context, "%s", text.c_str());
}

}  // namespace

Gpu::~Gpu() {
  if (context == nullptr) return;
  // Programs go while their context is current; where it cannot be made current
  // (another thread holds it), they go with it.
  (void)context->Run([this] {
    programs = ProgramCache();
    return absl::OkStatus();
  });
}

namespace {

// What a user must know who thinks that a GPU computes.
std::string SoftwareWarning(const egl::Context& context) {
  return absl::StrCat(
      "WARNING: TfLiteGlesDelegate: software rendering: ",
      context.device().renderer,
      " computes on the CPU, where float models are slower than with XNNPACK",
      context.hardware_errors().empty()
          ? ""
          : absl::StrCat(". No hardware: ", context.hardware_errors()),
      ". allow_software=0 declines software rendering");
}

absl::StatusOr<std::unique_ptr<egl::Context>> AdoptCurrent(
    const Options& options) {
  auto adopted = egl::Context::AdoptCurrent();
  if (adopted.ok() && (*adopted)->device().software &&
      !options.allow_software) {
    return absl::UnavailableError(absl::StrCat(
        "it is of software rendering (", (*adopted)->device().renderer,
        "), which allow_software=0 declines"));
  }
  return adopted;
}

}  // namespace

absl::Status GlesSimpleDelegate::EnsureContext(TfLiteContext* context) {
  if (gpu_ != nullptr) return absl::OkStatus();
  auto gpu = std::make_shared<Gpu>();
  if (!options_.force_own_context && egl::Context::HasCurrent()) {
    auto adopted = AdoptCurrent(options_);
    if (adopted.ok()) {
      gpu->context = *std::move(adopted);
    } else if (options_.verbosity >= 1) {
      Log(context,
          absl::StrCat(
              "TfLiteGlesDelegate: the current EGL context is not used: ",
              adopted.status().message(), "; the delegate makes its own"));
    }
  }
  if (gpu->context == nullptr) {
    egl::ContextOptions wanted;
    wanted.device = options_.device;
    wanted.allow_software = options_.allow_software;
    auto created = egl::Context::Create(wanted);
    if (!created.ok()) return created.status();
    gpu->context = *std::move(created);
  }
  gpu_ = std::move(gpu);
  const egl::DeviceInfo& device = gpu_->context->device();
  profile_ = ProfileFor(
      device, {options_.is_precision_loss_allowed,
               StorageOption(options_.storage), options_.saturate_halves});
  if (options_.verbosity >= 1 && device.software) {
    Log(context, SoftwareWarning(*gpu_->context));
  }
  if (options_.verbosity >= 2) {
    Log(context, absl::StrCat("TfLiteGlesDelegate: running on ",
                              device.renderer, " (", device.version, ")"));
  }
  return absl::OkStatus();
}

ReadOptions GlesSimpleDelegate::read_options() const {
  return {options_.enable_quantization,
          options_.quantized_compute != kTfLiteGlesQuantizedFloatUnsimulated,
          options_.is_precision_loss_allowed, options_.exclude_nodes,
          options_.float32_nodes};
}

// Its kernels are gone: of an interpreter that was deleted (another may be
// where that was), or of a subgraph whose delegation TFLite undid.
bool GlesSimpleDelegate::IsGone(const Applied& a) {
  return !a.partitions.empty() &&
         std::all_of(a.partitions.begin(), a.partitions.end(),
                     [](const auto& p) { return p.use_count() == 1; });
}

void GlesSimpleDelegate::BeginSubgraph(TfLiteContext* context) {
  // All subgraphs of an interpreter share its CPU context.
  const void* interpreter =
      context->GetExternalContext == nullptr
          ? nullptr
          : context->GetExternalContext(context, kTfLiteCpuBackendContext);
  const auto is_gone = [&](const Applied& a) {
    return interpreter == nullptr || a.interpreter != interpreter || IsGone(a);
  };
  applied_.erase(std::remove_if(applied_.begin(), applied_.end(),
                                [&](const Applied& a) {
                                  return a.subgraph != context->impl_ &&
                                         is_gone(a);
                                }),
                 applied_.end());
  const auto it = std::find_if(
      applied_.begin(), applied_.end(),
      [&](const Applied& a) { return a.subgraph == context->impl_; });
  current_ = it - applied_.begin();
  if (it == applied_.end()) applied_.emplace_back();
  previous_ = std::exchange(now(), Applied());
  now().interpreter = interpreter;
  now().subgraph = context->impl_;
}

std::vector<std::shared_ptr<PartitionReport>> GlesSimpleDelegate::Partitions()
    const {
  std::vector<std::shared_ptr<PartitionReport>> all;
  for (const Applied& a : applied_) {
    all.insert(all.end(), a.partitions.begin(), a.partitions.end());
  }
  return all;
}

absl::Status GlesSimpleDelegate::Initialize(TfLiteContext* context) {
  model_.reset();
  BeginSubgraph(context);
  memory_plan_is_old_ = HasOldMemoryPlan(context);
  runtime_ = RuntimeOf(context);
  StageTimer timer(&now().stages);
  if (auto s = EnsureContext(context); !s.ok()) return s;
  timer.Lap("context");
  auto nodes = FindNodes(context);
  if (!nodes.ok()) return nodes.status();
  auto unknown = PropagateShapes(context, nodes->find, nodes->plan);
  if (!unknown.ok()) return unknown.status();
  nodes->unknown = *std::move(unknown);
  timer.Lap("shapes");
  auto model = ReadModel(context, *nodes, profile_, read_options());
  if (!model.ok()) return model.status();
  timer.Lap("read_model");
  model_ = *std::move(model);
  nodes_ = *std::move(nodes);
  now().nodes_total = static_cast<int>(model_->nodes.size());
  KeepUnusedConstantsOnCpu();
  now().refusals = GroupRefusals();
  return absl::OkStatus();
}

// A node that folds to a constant is worth taking only where the GPU is all
// that uses the constant; else the CPU computes it once, and we fold it too.
void GlesSimpleDelegate::KeepUnusedConstantsOnCpu() {
  std::vector<bool> used_on_cpu(model_->graph.tensors.size(), false);
  for (auto it = model_->nodes.rbegin(); it != model_->nodes.rend(); ++it) {
    if (it->folded) {
      for (TensorId id : it->node.outputs) {
        if (used_on_cpu[id]) {
          it->support = absl::FailedPreconditionError(
              "its constant is used by a node that stays on the CPU");
        }
      }
    }
    if (it->support.ok()) continue;
    for (TensorId id : it->inputs) {
      if (id >= 0) used_on_cpu[id] = true;
    }
  }
}

absl::Status GlesSimpleDelegate::IsNodeSupported(int node_index) {
  const auto it = model_->position_of.find(node_index);
  if (it == model_->position_of.end()) {
    return absl::NotFoundError(absl::StrCat("no node ", node_index));
  }
  return model_->nodes[it->second].support;
}

std::vector<std::vector<int>> GlesSimpleDelegate::ChoosePartitions(
    std::vector<std::vector<int>> partitions) {
  if (memory_plan_is_old_) {
    for (const std::vector<int>& p : partitions) {
      const CheckedNode& first = model_->nodes[model_->position_of.at(p[0])];
      now().refusals.push_back(
          {absl::StrCat("the partition at ", first.op),
           "an input was resized after AllocateTensors, and TFLite keeps the "
           "memory plan of before where a delegate is applied then; call "
           "AllocateTensors again first",
           first.tensors, p});
    }
    return {};
  }
  const auto leave = [this](const std::vector<int>& nodes,
                            absl::string_view rule, int value) {
    const CheckedNode& first = model_->nodes[model_->position_of.at(nodes[0])];
    now().refusals.push_back(
        {absl::StrCat("the partition at ", first.op),
         absl::StrCat("it has ", nodes.size(),
                      nodes.size() == 1 ? " node" : " nodes", rule, "=", value),
         first.tensors, nodes});
  };
  std::stable_sort(
      partitions.begin(), partitions.end(),
      [](const auto& a, const auto& b) { return a.size() > b.size(); });
  while (!partitions.empty() && static_cast<int>(partitions.back().size()) <
                                    options_.min_nodes_per_partition) {
    leave(partitions.back(), ", fewer than min_nodes_per_partition",
          options_.min_nodes_per_partition);
    partitions.pop_back();
  }
  const size_t limit =
      options_.max_delegated_partitions > 0
          ? static_cast<size_t>(options_.max_delegated_partitions)
          : partitions.size();
  for (size_t i = limit; i < partitions.size(); ++i) {
    leave(partitions[i], " and is past max_delegated_partitions",
          options_.max_delegated_partitions);
  }
  if (partitions.size() > limit) partitions.resize(limit);
  now().chosen = partitions;
  for (const auto& p : partitions)
    now().nodes_delegated += static_cast<int>(p.size());
  return partitions;
}

std::vector<GlesSimpleDelegate::Refusal> GlesSimpleDelegate::GroupRefusals()
    const {
  std::vector<Refusal> refusals;
  std::map<std::pair<std::string, std::string>, size_t> by_reason;
  for (const CheckedNode& node : model_->nodes) {
    if (node.support.ok()) continue;
    const std::string reason(node.support.message());
    const auto [it, inserted] =
        by_reason.try_emplace({node.op, reason}, refusals.size());
    if (inserted) refusals.push_back({node.op, reason, node.tensors, {}});
    refusals[it->second].nodes.push_back(node.index);
  }
  return refusals;
}

void GlesSimpleDelegate::WarnAboutRefusals(TfLiteContext* context) const {
  constexpr size_t kShown = 8;  // node indices a line
  for (const Refusal& r : now().refusals) {
    std::vector<int> shown(r.nodes.begin(),
                           r.nodes.begin() + std::min(r.nodes.size(), kShown));
    Log(context, absl::StrCat("WARNING: ", r.op, " stays on the CPU (",
                              r.nodes.size() == 1 ? "node " : "nodes ",
                              absl::StrJoin(shown, ", "),
                              r.nodes.size() > kShown ? ", ..." : "",
                              "): ", r.reason, " [", r.tensors, "]"));
  }
}

std::unique_ptr<SimpleDelegateKernel> GlesSimpleDelegate::CreateKernel() {
  return std::make_unique<GlesKernel>(*this);
}

std::shared_ptr<PartitionReport> GlesSimpleDelegate::AddPartition() {
  now().partitions.push_back(std::make_shared<PartitionReport>());
  return now().partitions.back();
}

void GlesSimpleDelegate::Finish(TfLiteContext* context) {
  // Applied again, with nothing left to do: what it came to holds.
  const bool same = now().chosen.empty() &&
                    previous_.subgraph == now().subgraph &&
                    !previous_.partitions.empty() && !IsGone(previous_);
  if (same && model_) now() = std::move(previous_);
  previous_ = Applied();
  // Here, as ChoosePartitions adds to them.
  if (options_.verbosity >= 1 && model_) WarnAboutRefusals(context);
  if (options_.verbosity >= 2 && model_) {
    Log(context,
        absl::StrCat("TfLiteGlesDelegate: ", now().nodes_delegated, " of ",
                     now().nodes_total, " nodes in ", now().chosen.size(),
                     " partitions run on the GPU"));
  }
  model_.reset();
}

// All partitions' caches as one: warm where all are, cold where all are.
CacheReport GlesSimpleDelegate::TotalCache() const {
  CacheReport total;
  bool first = true;
  for (const auto& p : Partitions()) {
    if (first) total.state = p->cache.state;
    if (total.state != p->cache.state) total.state = "partial";
    if (total.reason.empty()) total.reason = p->cache.reason;
    total.programs_loaded += p->cache.programs_loaded;
    total.programs_compiled += p->cache.programs_compiled;
    total.bytes += p->cache.bytes;
    total.saved = total.saved || p->cache.saved;
    first = false;
  }
  return total;
}

const char* GlesSimpleDelegate::Report() {
  nlohmann::json report;
  const std::vector<std::shared_ptr<PartitionReport>> partitions = Partitions();
  int nodes = 0, delegated = 0;
  size_t chosen = 0;
  StageTimes stages;
  for (const Applied& a : applied_) {
    nodes += a.nodes_total;
    delegated += a.nodes_delegated;
    chosen += a.chosen.size();
    stages.Add(a.stages);
  }
  report["nodes_total"] = nodes;
  report["nodes_delegated"] = delegated;
  report["partitions"] = chosen;
  report["subgraphs"] = applied_.size();
  report["renderer"] = "";
  report["driver"] = "";
  if (gpu_ != nullptr) {
    report["renderer"] = gpu_->context->device().renderer;
    report["driver"] = gpu_->context->device().version;
    report["driver_family"] = egl::FamilyName(gpu_->context->device());
    report["software"] = gpu_->context->device().software;
    report["hardware_errors"] = gpu_->context->hardware_errors();
    report["context"] = gpu_->context->owned() ? "own" : "borrowed";
    report["programs"] = gpu_->programs.size();
  }
  report["precision"] =
      options_.is_precision_loss_allowed ? "float16" : "float32";
  report["runtime"] = {
      {"library", runtime_.library},
      {"version", runtime_.version},
      {"registration_bytes", runtime_.registration_bytes},
      {"integer_rounding", std::string(CpuKernelsName(cpu_kernels()))}};
  report["partition"] = nlohmann::json::array();
  for (const auto& p : partitions) {
    report["partition"].push_back(
        {{"nodes", p->nodes},
         {"nodes_after_passes", p->nodes_after_passes},
         {"nodes_on_codes", p->nodes_on_codes},
         {"dispatches", p->stats.dispatches},
         {"barriers", p->stats.barriers},
         {"tensor_bytes", p->stats.tensor_bytes},
         {"tensor_bytes_unshared", p->stats.tensor_bytes_unshared},
         {"constant_bytes", p->stats.constant_bytes},
         {"compile_ms", p->stats.compile_ms},
         {"upload_ms", p->stats.upload_ms}});
    if (!p->passes_dropped.empty()) {
      report["partition"].back()["passes_dropped"] = p->passes_dropped;
    }
    const SelfCheckResult& check = p->self_check_result;
    report["partition"].back()["self_check"] = {
        {"verdict", p->self_check}, {"programs", check.programs},
        {"checked", check.checked}, {"skipped", check.skipped},
        {"ms", check.ms},           {"faults", p->self_check_faults}};
    if (p->tuning.empty()) continue;
    report["partition"].back()["tuning"] = {{"profile", p->tuning},
                                            {"before_ms", p->tuning_before_ms},
                                            {"after_ms", p->tuning_after_ms}};
  }
  const CacheReport cache = TotalCache();
  report["cache"] = {{"state", cache.state},
                     {"programs_loaded", cache.programs_loaded},
                     {"programs_compiled", cache.programs_compiled},
                     {"bytes", cache.bytes},
                     {"saved", cache.saved},
                     {"reason", cache.reason}};
  for (const auto& p : partitions) stages.Add(p->stages);
  report["stages_ms"] = nlohmann::json::object();
  for (const auto& [name, ms] : stages.stages()) report["stages_ms"][name] = ms;
  report["profile"] = nlohmann::json::array();
  for (const auto& p : partitions) {
    if (p->executor == nullptr) continue;
    for (const Executor::ProfileEntry& e : p->executor->profile()) {
      report["profile"].push_back(
          {{"label", e.label},
           {"shader", e.shader},
           {"node", e.node},
           {"groups", e.groups},
           {"count", e.count},
           {"us", e.count == 0 ? 0 : e.total_us / e.count},
           {"by_gpu", p->executor->profiled_by_gpu()}});
    }
  }
  report["cpu"] = nlohmann::json::array();
  for (size_t i = 0; i < applied_.size(); ++i) {
    for (const Refusal& r : applied_[i].refusals) {
      report["cpu"].push_back({{"op", r.op},
                               {"reason", r.reason},
                               {"tensors", r.tensors},
                               {"subgraph", i},
                               {"nodes", r.nodes}});
    }
  }
  // Names in models may be no UTF-8; those bytes are replaced.
  report_ =
      report.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
  return report_.c_str();
}

}  // namespace gles_delegate
