// A model's report as text for a terminal, as a page of HTML, and as JSON.
#ifndef GLES_DELEGATE_TOOLS_MODEL_REPORT_PAGES_H_
#define GLES_DELEGATE_TOOLS_MODEL_REPORT_PAGES_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/model_report/report_data.h"

namespace gles_delegate {

// "gpu", "fused", "constant", "cpu".
const char* NameOf(NodeRow::Where where);
// "on the GPU", "in node 3", "constant", "on the CPU".
std::string WhereText(const NodeRow& row);

// The self-check's verdict, and what else became of the partition.
std::string CheckText(const PartitionRow& row);

std::string TextPage(const ReportData& data);

// One file, without scripts, that needs nothing else.
std::string HtmlPage(const ReportData& data);

// For other programs: all but the timeline. Times that were not measured are
// left out.
nlohmann::ordered_json JsonPage(const ReportData& data);

// ai-edge-model-explorer's node data (GraphNodeData), which it shows on the
// graph, by the nodes' indices: where each is computed, or why on the CPU.
nlohmann::json PlacementNodeData(const ReportData& data);

// The same of the nodes' times in microseconds; none if nothing was measured.
nlohmann::json TimeNodeData(const ReportData& data);

// The place of a node's box in the graph's picture: `row` counts down a column,
// `column` and `lane` to the right; a column has as many lanes as its fullest
// row has boxes.
struct Place {
  int column = 0;
  int row = 0;
  int lane = 0;
};

// True where the node is drawn; nodes of constants are not.
bool IsDrawn(const NodeRow& row);

// A node stands below all nodes whose outputs it reads, or in a later column;
// after `rows_a_column` rows the next column begins. No two that are drawn
// share a place.
std::vector<Place> PlacesOf(const std::vector<NodeRow>& rows,
                            int rows_a_column);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_MODEL_REPORT_PAGES_H_
