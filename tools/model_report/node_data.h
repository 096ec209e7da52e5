// A model's report for ai-edge-model-explorer, which shows it on the graph.
#ifndef GLES_DELEGATE_TOOLS_MODEL_REPORT_NODE_DATA_H_
#define GLES_DELEGATE_TOOLS_MODEL_REPORT_NODE_DATA_H_

#include <nlohmann/json.hpp>

#include "tools/model_report/report_data.h"

namespace gles_delegate {

// Model Explorer's node data (GraphNodeData) by the nodes' indices: where each
// is computed, or why on the CPU.
nlohmann::json PlacementNodeData(const ReportData& data);

// The same of the nodes' times in microseconds; none if nothing was measured.
nlohmann::json TimeNodeData(const ReportData& data);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_MODEL_REPORT_NODE_DATA_H_
