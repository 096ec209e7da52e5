#include "delegate/tflite/report.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <map>
#include <random>

#include "absl/algorithm/container.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "base/status_macros.h"
#include "delegate/graph/printable.h"

namespace gles_delegate {

// --- JSON --------------------------------------------------------------------

namespace {

std::string JsonString(absl::string_view text) {
  return absl::StrCat(
      "\"",
      absl::StrReplaceAll(
          Printable(text),
          {{"\\", "\\\\"}, {"\"", "\\\""}, {"\n", "\\n"}, {"\t", "\\t"}}),
      "\"");
}

// A kernel shares its partition's report for as long as it lives.
bool HasKernel(const std::shared_ptr<PartitionReport>& partition) {
  return partition.use_count() > 1;
}

}  // namespace

Json::Json(absl::string_view text) : text_(JsonString(text)) {}

Json::Json(double value) : text_("null") {
  char digits[32];  // without the locale, and as few as tell it apart
  if (!std::isfinite(value)) return;
  text_.assign(digits,
               std::to_chars(digits, digits + sizeof(digits), value).ptr);
}

Json::Json(std::initializer_list<Member> members) : kind_(Kind::kObject) {
  for (const auto& [key, value] : members) (*this)[key] = value;
}

Json& Json::operator[](absl::string_view key) {
  std::string quoted = JsonString(key);
  const auto at = std::lower_bound(keys_.begin(), keys_.end(), quoted);
  const auto value = values_.begin() + (at - keys_.begin());
  if (at != keys_.end() && *at == quoted) return *value;
  keys_.insert(at, std::move(quoted));
  return *values_.insert(value, Json());
}

std::string Json::Text() const {
  std::string out;
  Append(0, &out);
  return out;
}

void Json::Append(int level, std::string* out) const {
  if (kind_ == Kind::kText) {
    out->append(text_);
    return;
  }
  const bool is_array = kind_ == Kind::kArray;
  out->push_back(is_array ? '[' : '{');
  for (size_t i = 0; i < values_.size(); ++i) {
    absl::StrAppend(out, i == 0 ? "" : ",", "\n",
                    std::string(2 * level + 2, ' '));
    if (!is_array) absl::StrAppend(out, keys_[i], ": ");
    values_[i].Append(level + 1, out);
  }
  if (!values_.empty()) absl::StrAppend(out, "\n", std::string(2 * level, ' '));
  out->push_back(is_array ? ']' : '}');
}

// --- Interpreters ------------------------------------------------------------

bool SubgraphReport::IsGone() const {
  return !partitions.empty() && absl::c_none_of(partitions, HasKernel);
}

bool SubgraphReport::IsUsed() const {
  return !is_inlined || absl::c_any_of(partitions, [](const auto& partition) {
    return partition->was_built;
  });
}

bool InterpreterReport::IsGone() const {
  return absl::c_none_of(subgraphs, [](const SubgraphReport& s) {
    return absl::c_any_of(s.partitions, HasKernel);
  });
}

void InterpreterReports::Begin(const void* interpreter, const void* subgraph) {
  if (interpreter == nullptr) interpreter = subgraph;
  const auto found = absl::c_find_if(list_, [&](const InterpreterReport& i) {
    return i.interpreter == interpreter;
  });
  if (found == list_.end()) {
    list_.push_back(
        {interpreter, std::vector<SubgraphReport>(1), absl::OkStatus()});
    list_.back().subgraphs[0].subgraph = subgraph;
  } else {
    std::rotate(found, std::next(found), list_.end());
  }
  // If memory ends below, there is a now() all the same.
  current_ = 0;
  ForgetGone();
  std::vector<SubgraphReport>& subgraphs = list_.back().subgraphs;
  subgraphs.reserve(subgraphs.size() + 1);
  subgraphs.erase(std::remove_if(subgraphs.begin(), subgraphs.end(),
                                 [&](const SubgraphReport& s) {
                                   return s.subgraph != subgraph && s.IsGone();
                                 }),
                  subgraphs.end());
  const auto entry = absl::c_find_if(subgraphs, [&](const SubgraphReport& s) {
    return s.subgraph == subgraph;
  });
  current_ = static_cast<size_t>(entry - subgraphs.begin());
  if (entry == subgraphs.end()) subgraphs.emplace_back();
  previous_ = std::exchange(now(), SubgraphReport());
  now().subgraph = subgraph;
  now().is_inlined = IsInlined(subgraph);
}

void InterpreterReports::Finish(const absl::Status& applied, bool was_read) {
  list_.back().applied = applied;
  const bool same = now().partitions_chosen == 0 &&
                    previous_.subgraph == now().subgraph &&
                    !previous_.partitions.empty() && !previous_.IsGone();
  if (same && was_read) now() = std::move(previous_);
  previous_ = SubgraphReport();
}

bool InterpreterReports::IsInlined(const void* subgraph) const {
  const auto has = [subgraph](const std::vector<const void*>& list) {
    return absl::c_linear_search(list, subgraph);
  };
  bool is_inlined = false;
  for (const InterpreterReport& i : list_) {
    for (const SubgraphReport& s : i.subgraphs) {
      // A subgraph of a deleted interpreter may have had the same address.
      if (s.IsGone()) continue;
      if (has(s.called)) return false;
      is_inlined |= !s.partitions.empty() && has(s.inlined);
    }
  }
  return is_inlined;
}

bool InterpreterReports::IsOnBorder(int tensor) const {
  const auto has = [tensor](const SubgraphReport& s) {
    return absl::c_linear_search(s.border, tensor);
  };
  return absl::c_any_of(list_, [&has](const InterpreterReport& i) {
    return absl::c_any_of(i.subgraphs, has);
  });
}

void InterpreterReports::ForgetGone() {
  const auto last = std::prev(list_.end());
  list_.erase(
      std::remove_if(list_.begin(), last,
                     [](const InterpreterReport& i) { return i.IsGone(); }),
      last);
}

// --- Refusals ----------------------------------------------------------------

std::vector<Refusal> GroupRefusals(const CheckedModel& model) {
  std::vector<Refusal> refusals;
  std::map<std::pair<std::string, std::string>, size_t> by_reason;
  for (const CheckedNode& node : model.nodes) {
    if (node.support.ok()) continue;
    const std::string reason(node.support.message());
    const auto [it, inserted] =
        by_reason.try_emplace({node.op, reason}, refusals.size());
    if (inserted) refusals.push_back({node.op, reason, node.tensors, {}});
    refusals[it->second].nodes.push_back(node.index);
  }
  return refusals;
}

std::vector<std::string> WarningsOf(absl::Span<const Refusal> refusals) {
  static constexpr size_t kShown = 8;  // ops and node indices of a warning
  struct Group {
    const Refusal* first;
    std::vector<std::string> ops;
    std::vector<int> nodes;
  };
  std::vector<Group> groups;
  std::map<std::string, size_t> by_reason;
  for (const Refusal& r : refusals) {
    const auto [it, inserted] = by_reason.try_emplace(r.reason, groups.size());
    if (inserted) groups.push_back({&r, {}, {}});
    Group& group = groups[it->second];
    if (!absl::c_linear_search(group.ops, r.op)) group.ops.push_back(r.op);
    group.nodes.insert(group.nodes.end(), r.nodes.begin(), r.nodes.end());
  }
  const auto list = [](const auto& items) {
    const auto end = items.begin() + std::min(items.size(), kShown);
    return absl::StrCat(absl::StrJoin(items.begin(), end, ", "),
                        end == items.end() ? "" : ", ...");
  };
  std::vector<std::string> warnings;
  for (Group& group : groups) {
    absl::c_sort(group.nodes);
    const size_t count = group.nodes.size();
    const std::string& tensors = group.first->tensors;
    const std::string nodes = count == 1       ? "node "
                              : count > kShown ? absl::StrCat(count, " nodes: ")
                                               : "nodes ";
    warnings.push_back(absl::StrCat(
        list(group.ops), group.ops.size() == 1 ? " stays" : " stay",
        " on the CPU (", nodes, list(group.nodes), "): ", group.first->reason,
        tensors.empty() ? "" : absl::StrCat(" [", tensors, "]")));
  }
  return warnings;
}

void KeepUnusedConstantsOnCpu(CheckedModel* model) {
  std::vector<bool> used_on_cpu(model->graph.tensors.size(), false);
  for (auto it = model->nodes.rbegin(); it != model->nodes.rend(); ++it) {
    // The runtime has values that follow from shapes before it prepares CPU
    // nodes.
    if (it->folded && !it->follows_from_shapes) {
      for (TensorId id : it->outputs) {
        if (id >= 0 && used_on_cpu[id]) {
          it->support = FailedPrecondition(
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

absl::Status ReplaceFile(const std::string& path, absl::string_view text) {
  const std::string failure =
      absl::StrCat("the report was not written to '", path, "'");
  struct stat info;
  if (lstat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    return FailedPrecondition(failure, ", which is no plain file");
  }
  const std::string temporary =
      absl::StrCat(path, ".", absl::Hex(std::random_device()()), ".tmp");
  // A new file, and so no link.
  std::FILE* const file = std::fopen(temporary.c_str(), "wxe");
  if (file == nullptr) return absl::ErrnoToStatus(errno, failure);
  int error =
      std::fwrite(text.data(), 1, text.size(), file) < text.size() ? errno : 0;
  if (std::fclose(file) != 0 && error == 0) error = errno;
  if (error == 0 && std::rename(temporary.c_str(), path.c_str()) != 0) {
    error = errno;
  }
  if (error == 0) return absl::OkStatus();
  (void)std::remove(temporary.c_str());
  return absl::ErrnoToStatus(error, failure);
}

namespace {

using Partitions = std::vector<std::shared_ptr<PartitionReport>>;

Partitions OnGpu(const std::vector<SubgraphReport>& subgraphs) {
  Partitions all;
  for (const SubgraphReport& s : subgraphs) {
    if (!s.IsUsed()) continue;
    all.insert(all.end(), s.partitions.begin(), s.partitions.end());
  }
  return all;
}

void AddCounts(const std::vector<SubgraphReport>& subgraphs, Json* report) {
  int nodes = 0, delegated = 0, partitions = 0;
  size_t used = 0;
  for (const SubgraphReport& s : subgraphs) {
    if (!s.IsUsed()) continue;
    ++used;
    nodes += s.nodes_total;
    delegated += s.nodes_delegated;
    partitions += s.partitions_chosen;
    for (const auto& p : s.partitions) {
      if (p->on_cpu.empty()) continue;
      delegated -= static_cast<int>(p->nodes.size());
      --partitions;
    }
  }
  (*report)["nodes_total"] = nodes;
  (*report)["nodes_delegated"] = delegated;
  (*report)["partitions"] = partitions;
  (*report)["subgraphs"] = used;
}

void AddDevice(const Gpu* gpu, Json* report) {
  (*report)["renderer"] = "";
  (*report)["driver"] = "";
  if (gpu == nullptr) return;
  const egl::Context& context = *gpu->context;
  const egl::DeviceInfo& d = context.device();
  (*report)["renderer"] = d.renderer;
  (*report)["driver"] = d.version;
  (*report)["driver_family"] = egl::FamilyName(d);
  // By GL's names without GL_MAX_.
  (*report)["limits"] = {
      {"texture_size", d.max_texture_size},
      {"array_texture_layers", d.max_texture_layers},
      {"texture_buffer_size", d.max_texel_buffer_texels},
      {"compute_work_group_invocations", d.max_work_group_invocations},
      {"compute_work_group_size", d.max_work_group_size},
      {"compute_work_group_count", d.max_work_group_count},
      {"compute_shared_memory_size", d.max_shared_memory_bytes},
      {"compute_shader_storage_blocks", d.max_buffers},
      {"compute_image_uniforms", d.max_images},
      {"compute_texture_image_units", d.max_textures},
      {"combined_shader_output_resources", d.max_outputs},
      {"shader_storage_block_size", d.max_buffer_bytes},
      {"uniform_block_size", d.max_uniform_block_bytes},
      {"program_binary_formats", d.program_binary_formats}};
  (*report)["software"] = d.software;
  (*report)["hardware_errors"] = context.hardware_errors();
  (*report)["context"] = context.owned() ? "own" : "borrowed";
  (*report)["context_stays_current"] = gpu->pins_context;
  (*report)["contexts_lost"] = gpu->losses;
  (*report)["programs"] = gpu->objects->program_count.load();
}

Json NodesJson(const std::vector<NodeFate>& fates) {
  Json nodes = Json::Array();
  for (const NodeFate& fate : fates) {
    Json node = {{"node", fate.node}, {"computed_by", fate.computed_by}};
    if (!fate.composite.empty()) node["composite"] = fate.composite;
    if (!fate.float32.empty()) node["float32"] = fate.float32;
    nodes.Add(std::move(node));
  }
  return nodes;
}

// How many nodes are in 32 bits for each reason, with 16-bit storage.
Json Float32Json(const std::vector<NodeFate>& fates) {
  std::map<std::string, int> reasons;
  for (const NodeFate& fate : fates) {
    if (!fate.float32.empty()) ++reasons[fate.float32];
  }
  Json counts = Json::Object();
  for (const auto& [reason, nodes] : reasons) counts[reason] = nodes;
  return counts;
}

Json DispatchesJson(const std::vector<DispatchReport>& dispatches) {
  Json plan = Json::Array();
  for (const DispatchReport& d : dispatches) {
    plan.Add({{"node", d.node},
              {"label", d.label},
              {"shader", d.shader},
              {"defines", d.defines}});
  }
  return plan;
}

Json BytesJson(const GpuMemoryUse& use) {
  return {{"tensors", use.tensors},
          {"constants", use.constants},
          {"transfers", use.transfers},
          {"parameters", use.parameters},
          {"shared_constants", use.shared_constants},
          {"total", use.total()}};
}

// Of the partitions that are on the GPU now.
Json TotalBytes(const Partitions& partitions) {
  GpuMemoryUse total;
  for (const auto& p : partitions) {
    if (p->executor == nullptr) continue;
    const GpuMemoryUse& use = p->stats.memory;
    total.tensors += use.tensors;
    total.constants += use.constants;
    total.transfers += use.transfers;
    total.parameters += use.parameters;
    total.shared_constants += use.shared_constants;
  }
  return BytesJson(total);
}

Json PartitionJson(const PartitionReport& p) {
  Json partition = {
      {"nodes", p.nodes.size()},
      {"nodes_after_passes", p.nodes_after_passes},
      {"nodes_on_integer_path", p.nodes_on_integer_path},
      {"nodes_in_float32", Float32Json(p.fates)},
      {"dispatches", p.stats.dispatches},
      {"barriers", p.stats.barriers},
      {"tensor_bytes", p.stats.memory.tensors},
      {"tensor_bytes_unshared", p.stats.tensor_bytes_unshared},
      {"constant_bytes", p.stats.memory.constants},
      {"gpu_bytes", BytesJson(p.stats.memory)},
      {"compile_ms", p.stats.compile_ms},
      {"upload_ms", p.stats.upload_ms},
      {"estimate",
       {{"cpu_us", p.worth.cpu_us}, {"crossing_us", p.worth.crossing_us}}},
      {"zero_copy_tensors", p.zero_copy_tensors},
      {"tensors_kept_on_gpu", p.tensors_kept_on_gpu},
      {"model_nodes", NodesJson(p.fates)},
      {"plan", DispatchesJson(p.dispatches)}};
  if (!p.on_cpu.empty()) partition["on_cpu"] = p.on_cpu;
  if (!p.passes_dropped.empty()) partition["passes_dropped"] = p.passes_dropped;
  const SelfCheckResult& check = p.self_check_result;
  partition["self_check"] = {
      {"verdict", p.self_check},  {"programs", check.programs},
      {"checked", check.checked}, {"skipped", check.skipped()},
      {"ms", check.ms},           {"faults", p.self_check_faults}};
  partition["background"] = {
      {"state", p.background.state},
      {"reason", p.background.reason},
      {"baseline_programs", p.background.baseline_programs},
      {"baseline_inferences", p.background.baseline_inferences},
      {"ms", p.background.ms}};
  return partition;
}

// The state of all partitions' caches: warm or cold if all are.
Json CacheJson(const Partitions& partitions) {
  CacheReport total;
  bool first = true;
  for (const auto& p : partitions) {
    if (first) total.state = p->cache.state;
    if (total.state != p->cache.state) total.state = "partial";
    if (total.reason.empty()) total.reason = p->cache.reason;
    total.programs_loaded += p->cache.programs_loaded;
    total.programs_compiled += p->cache.programs_compiled;
    total.bytes += p->cache.bytes;
    total.saved = total.saved || p->cache.saved;
    first = false;
  }
  return {{"state", total.state},
          {"programs_loaded", total.programs_loaded},
          {"programs_compiled", total.programs_compiled},
          {"bytes", total.bytes},
          {"saved", total.saved},
          {"reason", total.reason}};
}

Json StagesJson(const std::vector<SubgraphReport>& subgraphs,
                const Partitions& partitions) {
  StageTimes total;
  for (const SubgraphReport& s : subgraphs) total.Add(s.stages);
  for (const auto& p : partitions) total.Add(p->stages);
  Json stages = Json::Object();
  for (const auto& [name, ms] : total.stages()) stages[name] = ms;
  return stages;
}

constexpr size_t kRunsInReport = 8;

// Of Executor::ProfileClock.
constexpr const char* kClocks[] = {"host", "gpu timers", "gpu timestamps"};

Json EntryJson(const Executor::ProfileEntry& entry, size_t partition) {
  Json runs = Json::Array();
  for (const TimedRun& run : entry.runs.Last(kRunsInReport)) {
    runs.Add(std::vector<double>{run.start_us, run.us});
  }
  return {{"label", entry.label},
          {"partition", partition},
          {"count", entry.runs.count()},
          {"us", entry.runs.MedianUs()},
          {"runs", std::move(runs)}};
}

void AddProfiles(const Partitions& partitions, Json* report) {
  Json profile = Json::Array(), host_profile = Json::Array();
  for (size_t i = 0; i < partitions.size(); ++i) {
    PartitionReport& p = *partitions[i];
    p.KeepProfile();
    for (const Executor::ProfileEntry& e : p.profile) {
      Json entry = EntryJson(e, i);
      entry["shader"] = e.shader;
      entry["node"] = e.node;
      entry["groups"] = e.groups;
      entry["clock"] = kClocks[static_cast<size_t>(p.profile_clock)];
      entry["by_gpu"] = p.profile_clock != Executor::ProfileClock::kHost;
      profile.Add(std::move(entry));
    }
    for (const Executor::ProfileEntry& e : p.host_profile) {
      host_profile.Add(EntryJson(e, i));
    }
  }
  (*report)["profile"] = std::move(profile);
  (*report)["host_profile"] = std::move(host_profile);
}

Json RefusalsJson(const std::vector<SubgraphReport>& subgraphs) {
  Json refusals = Json::Array();
  for (size_t i = 0; i < subgraphs.size(); ++i) {
    if (!subgraphs[i].IsUsed()) continue;
    for (const Refusal& r : subgraphs[i].refusals) {
      refusals.Add({{"op", r.op},
                    {"reason", r.reason},
                    {"tensors", r.tensors},
                    {"subgraph", i},
                    {"nodes", r.nodes}});
    }
    for (const auto& p : subgraphs[i].partitions) {
      if (p->on_cpu.empty()) continue;
      refusals.Add({{"op", "the partition"},
                    {"reason", p->on_cpu},
                    {"tensors", ""},
                    {"subgraph", i},
                    {"nodes", p->nodes}});
    }
  }
  return refusals;
}

// The keys that are of one interpreter.
Json InterpreterJson(const InterpreterReport& interpreter) {
  const std::vector<SubgraphReport>& subgraphs = interpreter.subgraphs;
  const Partitions on_gpu = OnGpu(subgraphs);
  Json report = Json::Object();
  AddCounts(subgraphs, &report);
  if (!interpreter.applied.ok()) {
    report["error"] = interpreter.applied.message();
  }
  Json list = Json::Array();
  Partitions partitions;
  for (const auto of :
       {&SubgraphReport::partitions, &SubgraphReport::handed_back}) {
    for (size_t i = 0; i < subgraphs.size(); ++i) {
      if (!subgraphs[i].IsUsed()) continue;
      for (const auto& p : subgraphs[i].*of) {
        Json partition = PartitionJson(*p);
        partition["subgraph"] = i;
        list.Add(std::move(partition));
        partitions.push_back(p);
      }
    }
  }
  report["partition"] = std::move(list);
  report["gpu_bytes"] = TotalBytes(on_gpu);
  report["cache"] = CacheJson(on_gpu);
  report["stages_ms"] = StagesJson(subgraphs, partitions);
  AddProfiles(on_gpu, &report);
  report["cpu"] = RefusalsJson(subgraphs);
  return report;
}

// Adds all interpreters if there are several.
void AddInterpreters(const std::vector<InterpreterReport>& interpreters,
                     Json* report) {
  if (interpreters.size() < 2) return;
  Partitions on_gpu;
  Json list = Json::Array();
  for (const InterpreterReport& interpreter : interpreters) {
    list.Add(InterpreterJson(interpreter));
    for (auto& p : OnGpu(interpreter.subgraphs)) on_gpu.push_back(std::move(p));
  }
  (*report)["interpreters"] = std::move(list);
  (*report)["gpu_bytes"] = TotalBytes(on_gpu);
}

}  // namespace

std::string ReportText(const ReportParts& parts) {
  Json report = InterpreterJson(parts.interpreters.back());
  AddInterpreters(parts.interpreters, &report);
  if (!parts.options.environment.empty()) {
    report["environment_options"] = parts.options.environment;
  }
  AddDevice(parts.gpu, &report);
  report["precision"] = parts.options.planning.half ? "float16" : "float32";
  report["thread_mode"] = parts.options.thread_mode;
  report["runtime"] = {{"library", parts.runtime.library},
                       {"version", parts.runtime.version},
                       {"registration_bytes", parts.runtime.registration_bytes},
                       {"integer_rounding", CpuKernelsName(parts.cpu_kernels)}};
  return report.Text();
}

}  // namespace gles_delegate
