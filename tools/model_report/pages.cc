#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tools/model_report/report_data.h"
#include "tools/runner/command_line.h"
#include "tools/runner/op_profile.h"

namespace gles_delegate {
namespace {

std::string TextHead(const ReportData& data) {
  std::string text = absl::StrFormat(
      "%s\n%s: %d of %s on the GPU, %s\n%s (%s), %s, TFLite %s\n",
      VerdictOf(data), data.model, data.nodes_delegated,
      Count(data.nodes_total, "node"),
      Count(data.partitions.size(), "partition"), data.renderer, data.driver,
      data.precision, data.runtime);
  if (data.invoke_ms > 0) {
    absl::StrAppendFormat(&text, "%.3f ms an inference (median)\n",
                          data.invoke_ms);
  }
  if (data.subgraphs > 1) {
    absl::StrAppendFormat(
        &text, "The first of %d subgraphs is listed; the counts are of all.\n",
        data.subgraphs);
  }
  return Wrap(text, 2);
}

std::string ShadersOf(const NodeRow& row) {
  std::vector<std::string> shaders;
  for (const DispatchFacts& dispatch : row.dispatches) {
    shaders.push_back(dispatch.shader);
  }
  return absl::StrJoin(shaders, " ");
}

std::string Line(const NodeRow& row, bool profiled) {
  const std::string shape =
      row.node.outputs.empty() ? "" : row.node.outputs[0].ToString();
  std::string line = absl::StrFormat("%4d %-18s %-20s %-11s ", row.node.index,
                                     row.node.op, shape, WhereText(row));
  if (profiled) {
    absl::StrAppend(&line, row.us() > 0 ? absl::StrFormat("%9.1f  ", row.us())
                                        : std::string(11, ' '));
  }
  const std::string end =
      row.where == NodeRow::Where::kCpu ? row.reason : ShadersOf(row);
  if (line.size() + end.size() > Columns()) {
    line = absl::StrCat(absl::StripTrailingAsciiWhitespace(line), "\n       ");
  }
  line += end;
  absl::StripTrailingAsciiWhitespace(&line);
  return Wrap(line, 7) + "\n";
}

std::string PartitionLine(size_t number, const PartitionRow& p) {
  const std::string line = absl::StrFormat(
      "partition %d: %d nodes, %d dispatches, %.2f MiB of tensors, %.2f MiB of "
      "constants, self-check %s",
      number, p.nodes, p.dispatches, p.tensor_bytes / 1048576.0,
      p.constant_bytes / 1048576.0, CheckText(p));
  return Wrap(line, 2) + "\n";
}

}  // namespace

const char* NameOf(NodeRow::Where where) {
  constexpr const char* kNames[] = {"gpu", "fused", "constant", "cpu"};
  return kNames[static_cast<int>(where)];
}

std::string WhereText(const NodeRow& row) {
  constexpr const char* kTexts[] = {"on the GPU", "in node ", "constant",
                                    "on the CPU"};
  const char* text = kTexts[static_cast<int>(row.where)];
  return row.where == NodeRow::Where::kFused
             ? absl::StrCat(text, row.computed_by)
             : text;
}

std::string CheckText(const PartitionRow& row) {
  return absl::StrCat(
      row.self_check, row.handed_back ? "; handed back to the CPU" : "",
      row.passes_dropped.empty() ? "" : "; planned without passes: ",
      row.passes_dropped);
}

std::string TextPage(const ReportData& data) {
  std::string page = TextHead(data);
  for (size_t i = 0; i < data.partitions.size(); ++i) {
    page += PartitionLine(i, data.partitions[i]);
  }
  absl::StrAppendFormat(
      &page, "\n%4s %-18s %-20s %-11s %s%s\n", "node", "op", "first output",
      "where", data.profiled ? "       us  " : "",
      data.profiled && Columns() <= 80 ? "shaders" : "shaders, or why not");
  for (const NodeRow& row : data.rows) page += Line(row, data.profiled);
  if (data.profiled) {
    absl::StrAppendFormat(
        &page,
        "%.1f us in the nodes' dispatches, %.1f us in copies: sums of medians\n"
        "  by %s\n",
        data.us(), data.transfers_us, ClockText(data.clock));
  }
  for (const Advice& advice : AdviceFor(data)) {
    absl::StrAppend(&page, "\n",
                    Wrap(absl::StrCat(advice.title, ": ", advice.text), 0),
                    "\n");
  }
  return page;
}

namespace {

using nlohmann::ordered_json;

ordered_json ToJson(const NodeRow& row) {
  ordered_json json = {{"index", row.node.index},
                       {"op", row.node.op},
                       {"where", NameOf(row.where)}};
  if (row.where == NodeRow::Where::kFused) json["in_node"] = row.computed_by;
  if (row.partition >= 0) json["partition"] = row.partition;
  if (!row.reason.empty()) json["reason"] = row.reason;
  if (row.us() > 0) json["us"] = row.us();
  json["outputs"] = ordered_json::array();
  for (const TensorFacts& tensor : row.node.outputs) {
    json["outputs"].push_back(
        {{"name", tensor.name}, {"shape", tensor.dims}, {"type", tensor.type}});
  }
  json["shaders"] = ordered_json::array();
  for (const DispatchFacts& dispatch : row.dispatches) {
    json["shaders"].push_back(dispatch.shader);
  }
  return json;
}

ordered_json ToJson(const PartitionRow& row) {
  return {{"nodes", row.nodes},
          {"dispatches", row.dispatches},
          {"tensor_bytes", row.tensor_bytes},
          {"constant_bytes", row.constant_bytes},
          {"self_check", row.self_check},
          {"passes_dropped", row.passes_dropped},
          {"on_cpu", row.handed_back}};
}

}  // namespace

ordered_json JsonPage(const ReportData& data) {
  ordered_json json = {{"model", data.model},
                       {"renderer", data.renderer},
                       {"driver", data.driver},
                       {"software", data.software},
                       {"precision", data.precision},
                       {"tflite", data.runtime},
                       {"revision", data.revision},
                       {"verdict", VerdictOf(data)},
                       {"nodes_total", data.nodes_total},
                       {"nodes_delegated", data.nodes_delegated}};
  if (data.invoke_ms > 0) json["gles_ms"] = data.invoke_ms;
  if (data.cpu_ms > 0) {
    json["cpu_ms"] = data.cpu_ms;
    json["num_threads"] = data.cpu_threads;
  }
  if (data.profiled) {
    json["clock"] = data.clock;
    json["transfers_us"] = data.transfers_us;
  }
  for (const char* list : {"partition", "nodes", "advice"}) {
    json[list] = ordered_json::array();
  }
  for (const PartitionRow& row : data.partitions) {
    json["partition"].push_back(ToJson(row));
  }
  for (const NodeRow& row : data.rows) json["nodes"].push_back(ToJson(row));
  for (const Advice& advice : AdviceFor(data)) {
    json["advice"].push_back({{"title", advice.title}, {"text", advice.text}});
  }
  return json;
}

nlohmann::json PlacementNodeData(const ReportData& data) {
  // As on the page, by NodeRow::Where.
  constexpr const char* kColors[] = {"#2563eb", "#0e7490", "#475569",
                                     "#b45309"};
  nlohmann::json results = nlohmann::json::object();
  for (const NodeRow& row : data.rows) {
    const std::string reason =
        row.reason.empty() ? "" : absl::StrCat(": ", row.reason);
    results[std::to_string(row.node.index)] = {
        {"value", WhereText(row) + reason},
        {"bgColor", kColors[static_cast<int>(row.where)]},
        {"textColor", "#ffffff"}};
  }
  return {{"name", "GLES delegate: placement"}, {"results", results}};
}

nlohmann::json TimeNodeData(const ReportData& data) {
  nlohmann::json results = nlohmann::json::object();
  for (const NodeRow* row : BySlowest(data)) {
    results[std::to_string(row->node.index)] = {{"value", row->us()}};
  }
  return {{"name", "GLES delegate: us"},
          {"results", results},
          {"gradient",
           {{{"stop", 0}, {"bgColor", "#ffffff"}},
            {{"stop", 1}, {"bgColor", "#f59e0b"}}}}};
}

}  // namespace gles_delegate
