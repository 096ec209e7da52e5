#include "tools/model_report/advice.h"
#include "tools/model_report/pages.h"

namespace gles_delegate {
namespace {

using nlohmann::ordered_json;

const char* NameOf(NodeRow::Where where) {
  switch (where) {
    case NodeRow::Where::kGpu:
      return "gpu";
    case NodeRow::Where::kFused:
      return "fused";
    case NodeRow::Where::kConstant:
      return "constant";
    case NodeRow::Where::kCpu:
      return "cpu";
  }
  return "";
}

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

}  // namespace gles_delegate
