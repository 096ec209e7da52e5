#include "tools/model_report/report_data.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

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

void AddReasons(const json& refusals, ReportData& data) {
  for (const json& refusal : refusals) {
    if (refusal.at("subgraph") != 0) continue;
    for (int node : refusal.at("nodes")) {
      NodeRow* row = RowAt(data, node);
      if (row != nullptr) row->reason = refusal.at("reason");
    }
  }
}

void Fill(const json& report, ReportData& data) {
  data.renderer = report.at("renderer");
  data.driver = report.at("driver");
  data.precision = report.at("precision");
  data.runtime = report.at("runtime").at("version");
  data.nodes_total = report.at("nodes_total");
  data.nodes_delegated = report.at("nodes_delegated");
  for (const json& partition : report.at("partition")) {
    if (partition.at("subgraph") == 0) AddPartition(partition, data);
  }
  data.profiled = !report.at("profile").empty();
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
