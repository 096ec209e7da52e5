#include "tools/model_report/report_data.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tools/runner/choice.h"

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
  const std::string floats = report.at("precision");
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

std::string Count(int64_t count, const std::string& noun) {
  return absl::StrCat(count, " ", noun, count == 1 ? "" : "s");
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

}  // namespace gles_delegate
