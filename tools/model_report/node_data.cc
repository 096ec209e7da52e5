#include "tools/model_report/node_data.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "tools/model_report/pages.h"

namespace gles_delegate {
namespace {

// As on the page.
const char* ColorOf(NodeRow::Where where) {
  switch (where) {
    case NodeRow::Where::kGpu:
      return "#2563eb";
    case NodeRow::Where::kFused:
      return "#0e7490";
    case NodeRow::Where::kConstant:
      return "#475569";
    case NodeRow::Where::kCpu:
      return "#b45309";
  }
  return "";
}

}  // namespace

nlohmann::json PlacementNodeData(const ReportData& data) {
  nlohmann::json results = nlohmann::json::object();
  for (const NodeRow& row : data.rows) {
    const std::string reason =
        row.reason.empty() ? "" : absl::StrCat(": ", row.reason);
    results[std::to_string(row.node.index)] = {
        {"value", WhereText(row) + reason},
        {"bgColor", ColorOf(row.where)},
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
