#include "tools/model_report/report_data.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "third_party/tflite_schema/schema_generated.h"
#include "tools/runner/command_line.h"
#include "tools/runner/latency.h"
#include "tools/runner/model_layers.h"

namespace gles_delegate {
namespace {

using nlohmann::json;

PartitionRow RowOf(const json& partition) {
  PartitionRow row;
  row.nodes = partition.at("nodes");
  row.dispatches = partition.at("dispatches");
  row.tensor_bytes = partition.at("tensor_bytes");
  row.constant_bytes = partition.at("constant_bytes");
  row.passes_dropped = partition.value("passes_dropped", "");
  const json& check = partition.at("self_check");
  row.self_check = check.at("verdict");
  if (check.at("checked") > 0) {
    absl::StrAppend(&row.self_check, " (", check.at("checked").get<int>(),
                    " of ", check.at("programs").get<int>(), " programs)");
  }
  row.handed_back = partition.contains("on_cpu");
  return row;
}

// The row of the model's node; nullptr: there is none.
NodeRow* RowAt(ReportData& data, int node) {
  const bool there = node >= 0 && node < static_cast<int>(data.rows.size());
  return there ? &data.rows[node] : nullptr;
}

void AddPartition(const json& partition, ReportData& data) {
  const int number = static_cast<int>(data.partitions.size());
  data.partitions.push_back(RowOf(partition));
  for (const json& fate : partition.at("model_nodes")) {
    NodeRow* row = RowAt(data, fate.at("node"));
    if (row == nullptr) continue;
    row->partition = number;
    row->computed_by = fate.at("computed_by");
    if (data.partitions.back().handed_back) {
      row->where = NodeRow::Where::kCpu;
      row->reason = partition.at("on_cpu");
    } else if (row->computed_by < 0) {
      row->where = NodeRow::Where::kConstant;
    } else {
      row->where = row->computed_by == row->node.index ? NodeRow::Where::kGpu
                                                       : NodeRow::Where::kFused;
    }
  }
  if (data.partitions.back().handed_back) return;
  for (const json& dispatch : partition.at("plan")) {
    NodeRow* row = RowAt(data, dispatch.at("node"));
    if (row == nullptr) continue;
    row->dispatches.push_back({dispatch.at("shader"), dispatch.at("defines")});
  }
}

// The profile has the dispatches of all partitions in the order in which they
// run. The dispatches of a node stand one after the other, as in the node's
// row. Dispatches without a row copy inputs and outputs.
void AddTimes(const json& profile, ReportData& data) {
  std::vector<size_t> next(data.rows.size(), 0);
  for (const json& entry : profile) {
    const int node = entry.at("node");
    NodeRow* row = RowAt(data, node);
    if (row == nullptr) {
      data.transfers_us += entry.at("us").get<double>();
      continue;
    }
    size_t& at = next[node];
    if (at >= row->dispatches.size() ||
        row->dispatches[at].shader != entry.at("shader")) {
      continue;
    }
    row->dispatches[at++].us = entry.at("us");
  }
}

// The last run of each step and dispatch. Runs of an earlier inference, of
// commands that the last one skipped or could not time, are left out.
void AddTimeline(const json& report, ReportData& data) {
  const auto add = [&](const json& entry, int node, bool on_host) {
    if (entry.at("runs").empty()) return;
    const json& run = entry.at("runs").back();
    data.timeline.push_back({entry.at("label"), node, on_host, run[0], run[1]});
  };
  if (!report.contains("host_profile")) return;
  for (const json& step : report.at("host_profile")) add(step, -1, true);
  if (data.timeline.empty()) return;
  const double start = data.timeline.front().start_us;
  for (const json& entry : report.at("profile")) {
    if (entry.at("shader") == "none") continue;  // is within the host's steps
    add(entry, data.subgraphs == 1 ? entry.at("node").get<int>() : -1, false);
  }
  for (TimelineSpan& span : data.timeline) span.start_us -= start;
  data.timeline.erase(
      std::remove_if(data.timeline.begin(), data.timeline.end(),
                     [](const TimelineSpan& s) { return s.start_us < -1000; }),
      data.timeline.end());
}

void AddReasons(const json& refusals, ReportData& data) {
  for (const json& refusal : refusals) {
    if (refusal.at("subgraph") != 0) continue;
    for (int node : refusal.at("nodes")) {
      NodeRow* row = RowAt(data, node);
      if (row != nullptr) row->reason = refusal.at("reason");
    }
  }
}

// "float32"; "int8" if all nodes on the GPU are; "int8 (30 nodes), float32 (2
// nodes)". Of a model without a node on the GPU, that of the file.
std::string PrecisionOf(const json& report, const ReportData& data) {
  std::string floats = report.at("precision");
  const bool on_gpu = data.nodes_delegated > 0;
  int on_integer_path = 0;
  for (const json& partition : report.at("partition")) {
    on_integer_path += partition.value("nodes_on_integer_path", 0);
  }
  if (on_gpu && on_integer_path == 0) return floats;
  std::map<std::string, int> nodes;
  for (const NodeRow& row : data.rows) {
    if (on_gpu && row.where == NodeRow::Where::kCpu) continue;
    if (row.node.outputs.empty()) continue;
    const std::string& type = row.node.outputs[0].type;
    if (type == "int8" || type == "uint8" || type == "int16") ++nodes[type];
    if (absl::StartsWith(type, "float")) ++nodes[floats];
  }
  if (nodes.empty()) return floats;
  if (nodes.size() == 1) return nodes.begin()->first;
  std::vector<std::pair<std::string, int>> sorted(nodes.begin(), nodes.end());
  std::stable_sort(
      sorted.begin(), sorted.end(),
      [](const auto& a, const auto& b) { return a.second > b.second; });
  return absl::StrJoin(sorted, ", ", [](std::string* out, const auto& part) {
    absl::StrAppend(out, part.first, " (", Count(part.second, "node"), ")");
  });
}

void Fill(const json& report, ReportData& data) {
  data.renderer = report.at("renderer");
  data.driver = report.at("driver");
  data.runtime = report.at("runtime").at("version");
  data.nodes_total = report.at("nodes_total");
  data.nodes_delegated = report.at("nodes_delegated");
  for (const json& partition : report.at("partition")) {
    if (partition.at("subgraph") == 0) AddPartition(partition, data);
  }
  data.precision = PrecisionOf(report, data);
  data.software = report.value("software", false);
  data.profiled = !report.at("profile").empty();
  if (data.profiled) data.clock = report.at("profile")[0].value("clock", "");
  AddTimeline(report, data);
  // The profile does not say which subgraph a node is of.
  if (data.subgraphs == 1) AddTimes(report.at("profile"), data);
  AddReasons(report.at("cpu"), data);
}

}  // namespace

double NodeRow::us() const {
  double sum = 0;
  for (const DispatchFacts& dispatch : dispatches) sum += dispatch.us;
  return sum;
}

double ReportData::us() const {
  double sum = 0;
  for (const NodeRow& row : rows) sum += row.us();
  return sum;
}

std::vector<std::pair<std::string, double>> TimesByOp(const ReportData& data) {
  std::map<std::string, double> sums;
  for (const NodeRow& row : data.rows) {
    if (row.us() > 0) sums[row.node.op] += row.us();
  }
  std::vector<std::pair<std::string, double>> sorted(sums.begin(), sums.end());
  std::stable_sort(
      sorted.begin(), sorted.end(),
      [](const auto& a, const auto& b) { return a.second > b.second; });
  return sorted;
}

std::vector<const NodeRow*> BySlowest(const ReportData& data) {
  std::vector<const NodeRow*> rows;
  for (const NodeRow& row : data.rows) {
    if (row.us() > 0) rows.push_back(&row);
  }
  std::stable_sort(
      rows.begin(), rows.end(),
      [](const NodeRow* a, const NodeRow* b) { return a->us() > b->us(); });
  return rows;
}

std::string VerdictOf(const ReportData& data) {
  if (data.nodes_delegated == 0) {
    return "Use the CPU here: no node of this model runs on the GPU.";
  }
  std::string text;
  if (data.invoke_ms > 0 && data.cpu_ms > 0) {
    absl::StrAppendFormat(
        &text, "%s: %.2f ms with the delegate, %.2f ms with XNNPACK on %s. ",
        Choose({data.cpu_ms / data.invoke_ms}, data.software).text,
        data.invoke_ms, data.cpu_ms, Count(data.cpu_threads, "thread"));
  }
  absl::StrAppend(
      &text,
      data.nodes_delegated == data.nodes_total
          ? "The whole model runs on the GPU"
          : absl::StrFormat("%d of %s run on the GPU", data.nodes_delegated,
                            Count(data.nodes_total, "node")),
      data.partitions.size() > 1
          ? absl::StrFormat(", in %d partitions.", data.partitions.size())
          : ".");
  const auto rows = BySlowest(data);
  if (rows.empty()) return text;
  const auto [op, us] = TimesByOp(data)[0];
  absl::StrAppendFormat(
      &text,
      " %s takes %.0f%% of the nodes' time; the slowest is %s %d with "
      "%.0f%%.",
      op, 100 * us / data.us(), rows[0]->node.op, rows[0]->node.index,
      100 * rows[0]->us() / data.us());
  return text;
}

absl::StatusOr<ReportData> Join(ModelFacts model, const json& report) {
  ReportData data;
  data.subgraphs = model.subgraphs;
  for (ModelNode& node : model.nodes) {
    NodeRow row;
    row.node = std::move(node);
    data.rows.push_back(std::move(row));
  }
  try {
    Fill(report, data);
  } catch (const json::exception& e) {
    return absl::InternalError(absl::StrCat(
        "the delegate's report is not what it should be: ", e.what()));
  }
  return data;
}

namespace {

std::string QuantizationText(const schema::TensorT& tensor) {
  if (tensor.quantization == nullptr || tensor.quantization->scale.empty()) {
    return "";
  }
  const auto& scale = tensor.quantization->scale;
  const auto& zero = tensor.quantization->zero_point;
  if (scale.size() > 1) {
    return absl::StrCat(scale.size(), " scales, one a channel");
  }
  return absl::StrFormat("scale %.4g, zero point %d", scale[0],
                         zero.empty() ? 0 : zero[0]);
}

TensorFacts FactsOf(const schema::ModelT& model,
                    const schema::TensorT& tensor) {
  TensorFacts facts;
  facts.name = tensor.name;
  facts.type = absl::AsciiStrToLower(schema::EnumNameTensorType(tensor.type));
  facts.dims = tensor.shape;
  facts.quantization = QuantizationText(tensor);
  facts.constant = tensor.buffer < model.buffers.size() &&
                   model.buffers[tensor.buffer] != nullptr &&
                   !model.buffers[tensor.buffer]->data.empty();
  return facts;
}

// Each output element is a sum, and each of its terms one multiplication. A sum
// has as many terms as the filter has elements for one output channel. 0 where
// the shapes are not a convolution's.
int64_t MultiplicationsOf(const ModelNode& node) {
  if (node.inputs.size() < 2 || node.outputs.empty()) return 0;
  const std::vector<int>& filter = node.inputs[1].dims;
  const int64_t outputs = node.outputs[0].elements();
  if (node.op == "CONV_2D" && filter.size() == 4) {
    return outputs * filter[1] * filter[2] * filter[3];
  }
  if (node.op == "DEPTHWISE_CONV_2D" && filter.size() == 4) {
    return outputs * filter[1] * filter[2];
  }
  if (node.op == "FULLY_CONNECTED" && filter.size() == 2) {
    return outputs * filter[1];
  }
  return 0;
}

bool IsMobile(const ModelNode& node) {
  if (node.op == "DEPTHWISE_CONV_2D") return true;
  if (node.op != "CONV_2D" || node.inputs.size() < 2) return false;
  const std::vector<int>& filter = node.inputs[1].dims;
  return filter.size() == 4 && filter[1] == 1 && filter[2] == 1;
}

// The tensors of `ids` without those that are absent.
absl::StatusOr<std::vector<TensorFacts>> TensorsOf(
    const schema::ModelT& model, const std::vector<int>& ids) {
  const auto& tensors = model.subgraphs[0]->tensors;
  std::vector<TensorFacts> facts;
  for (int id : ids) {
    if (id < 0) continue;
    if (id >= static_cast<int>(tensors.size()) || tensors[id] == nullptr) {
      return absl::InvalidArgumentError("a tensor's index leads nowhere");
    }
    facts.push_back(FactsOf(model, *tensors[id]));
  }
  return facts;
}

}  // namespace

std::string TensorFacts::ToString() const {
  return absl::StrCat(type, "[", absl::StrJoin(dims, ","), "]");
}

int64_t TensorFacts::elements() const {
  int64_t product = 1;
  for (int extent : dims) product *= extent;
  return product;
}

absl::StatusOr<ModelFacts> FactsOfModel(absl::Span<const uint8_t> bytes) {
  ASSIGN_OR_RETURN(auto model, UnpackModel(bytes));
  ASSIGN_OR_RETURN(auto names, OpNamesOf(*model));
  ModelFacts facts;
  facts.subgraphs = static_cast<int>(model->subgraphs.size());
  std::map<int, int> writer;  // of each tensor
  int index = 0;
  for (const auto& op : model->subgraphs[0]->operators) {
    ModelNode node;
    node.index = index;
    node.op = names[index];
    ASSIGN_OR_RETURN(node.inputs, TensorsOf(*model, op->inputs));
    ASSIGN_OR_RETURN(node.outputs, TensorsOf(*model, op->outputs));
    for (int id : op->inputs) {
      const auto from = writer.find(id);
      if (from == writer.end()) continue;
      if (std::find(node.reads.begin(), node.reads.end(), from->second) ==
          node.reads.end()) {
        node.reads.push_back(from->second);
      }
    }
    for (int id : op->outputs) writer[id] = index;
    node.multiplications = MultiplicationsOf(node);
    node.depthwise_or_pointwise = IsMobile(node);
    facts.nodes.push_back(std::move(node));
    ++index;
  }
  return facts;
}

namespace {

constexpr size_t kNamedNodes = 8;
// Ops that compute nothing: they put values elsewhere.
const std::set<std::string>& MovingOps() {
  static const auto* const ops = new std::set<std::string>(absl::StrSplit(
      "RESHAPE TRANSPOSE SQUEEZE EXPAND_DIMS SPACE_TO_DEPTH DEPTH_TO_SPACE "
      "PACK UNPACK STRIDED_SLICE SLICE SPLIT SPLIT_V CONCATENATION TILE GATHER "
      "GATHER_ND BATCH_TO_SPACE_ND SPACE_TO_BATCH_ND BROADCAST_TO REVERSE_V2 "
      "REVERSE_SEQUENCE",
      ' '));
  return *ops;
}
// The share of a tensor's texels below which padding is not worth a word.
constexpr double kMuchPadding = 0.1;
constexpr int64_t kManyElements = 4096;  // a smaller tensor costs nothing
// The share of a model's multiplications above which those of full convolutions
// make the model no mobile architecture.
constexpr double kMostOfTheWork = 0.5;
constexpr int64_t kMuchWork = 1000000;  // multiplications; fewer cost nothing

std::string NamesOf(const std::vector<const NodeRow*>& rows) {
  std::vector<std::string> names;
  for (const NodeRow* row : rows) {
    if (names.size() == kNamedNodes) break;
    names.push_back(absl::StrCat(row->node.op, " ", row->node.index));
  }
  std::string text = absl::StrJoin(names, ", ");
  if (rows.size() > kNamedNodes) {
    absl::StrAppend(&text, " and ", rows.size() - kNamedNodes, " more");
  }
  return text;
}

// The times by the host's clock include waits, so they are not the GPU's alone.
const char* TimeText(const std::string& clock) {
  return absl::StartsWith(clock, "gpu ")
             ? "the GPU's time"
             : "the nodes' time by the host's clock";
}

std::string ShareOfTime(const ReportData& data,
                        const std::vector<const NodeRow*>& rows) {
  double us = 0;
  for (const NodeRow* row : rows) us += row->us();
  if (data.us() <= 0) return "";
  return absl::StrFormat(", %.0f%% of %s", 100 * us / data.us(),
                         TimeText(data.clock));
}

void AdviseOnCpuNodes(const ReportData& data, std::vector<Advice>& all) {
  std::map<std::string, std::vector<const NodeRow*>> by_reason;
  size_t nodes = 0;
  for (const NodeRow& row : data.rows) {
    if (row.where != NodeRow::Where::kCpu) continue;
    by_reason[row.reason].push_back(&row);
    ++nodes;
  }
  if (nodes == 0) return;
  std::string text = absl::StrFormat(
      "Of %s %d stay on the CPU, beside %s on the GPU: between them values are "
      "copied and the CPU waits.",
      Count(data.rows.size(), "node"), nodes,
      Count(data.partitions.size(), "partition"));
  for (const auto& [reason, rows] : by_reason) {
    absl::StrAppend(&text, " ", NamesOf(rows), ": ",
                    reason.empty() ? "no reason was given" : reason, ".");
  }
  all.push_back({"Use ops that the GPU runs", text});
}

void AdviseOnMoves(const ReportData& data, std::vector<Advice>& all) {
  std::vector<const NodeRow*> moving;
  for (const NodeRow& row : data.rows) {
    if (row.where == NodeRow::Where::kGpu && !row.dispatches.empty() &&
        MovingOps().count(row.node.op) > 0) {
      moving.push_back(&row);
    }
  }
  if (moving.empty()) return;
  all.push_back(
      {"Avoid ops like RESHAPE",
       absl::StrCat(Count(moving.size(), "node"),
                    " only to put values elsewhere, a dispatch or more each",
                    ShareOfTime(data, moving), ". ", NamesOf(moving), ".")});
}

// The share of a tensor's texels that holds no channel.
double PaddingOf(const TensorFacts& tensor) {
  if (tensor.dims.empty() || tensor.dims.back() <= 0) return 0;
  const int channels = tensor.dims.back();
  const int held = (channels + 3) / 4 * 4;
  return 1 - static_cast<double>(channels) / held;
}

void AdviseOnChannels(const ReportData& data, std::vector<Advice>& all) {
  std::vector<const NodeRow*> padded;
  for (const NodeRow& row : data.rows) {
    if (row.where != NodeRow::Where::kGpu || row.node.outputs.empty()) continue;
    const TensorFacts& out = row.node.outputs[0];
    if (PaddingOf(out) >= kMuchPadding && out.elements() >= kManyElements) {
      padded.push_back(&row);
    }
  }
  if (padded.empty()) return;
  const auto worst = std::max_element(
      padded.begin(), padded.end(), [](const NodeRow* a, const NodeRow* b) {
        return PaddingOf(a->node.outputs[0]) < PaddingOf(b->node.outputs[0]);
      });
  const TensorFacts& out = (*worst)->node.outputs[0];
  all.push_back(
      {"Keep channels a multiple of 4",
       absl::StrFormat(
           "A texel holds four channels. The last texel is partly empty in the "
           "output of %s%s; of %s %d, %s, %.0f%% is padding. %s.",
           Count(padded.size(), "node"), ShareOfTime(data, padded),
           (*worst)->node.op, (*worst)->node.index, out.ToString(),
           100 * PaddingOf(out), NamesOf(padded))});
}

void AdviseOnArchitecture(const ReportData& data, std::vector<Advice>& all) {
  int64_t total = 0, full = 0;
  std::vector<const NodeRow*> heavy;
  for (const NodeRow& row : data.rows) {
    total += row.node.multiplications;
    if (row.node.op == "CONV_2D" && !row.node.depthwise_or_pointwise) {
      full += row.node.multiplications;
      heavy.push_back(&row);
    }
  }
  if (total < kMuchWork || full < kMostOfTheWork * total) return;
  std::sort(heavy.begin(), heavy.end(), [](const NodeRow* a, const NodeRow* b) {
    return a->node.multiplications > b->node.multiplications;
  });
  all.push_back(
      {"Prefer mobile architectures",
       absl::StrFormat(
           "%.0f%% of the model's %.3g million multiplications are in "
           "convolutions over all channels and a window; a depthwise "
           "convolution before a 1x1 one takes a fraction of that. %s.",
           100.0 * full / total, total * 1e-6, NamesOf(heavy))});
}

}  // namespace

std::vector<Advice> AdviceFor(const ReportData& data) {
  std::vector<Advice> all;
  AdviseOnCpuNodes(data, all);
  AdviseOnMoves(data, all);
  AdviseOnArchitecture(data, all);
  AdviseOnChannels(data, all);
  return all;
}

}  // namespace gles_delegate
