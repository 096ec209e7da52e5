// A model's report as text for a terminal, as a page of HTML, and as JSON.
#ifndef GLES_DELEGATE_TOOLS_MODEL_REPORT_PAGES_H_
#define GLES_DELEGATE_TOOLS_MODEL_REPORT_PAGES_H_

#include <nlohmann/json.hpp>
#include <string>

#include "tools/model_report/report_data.h"

namespace gles_delegate {

// "on the GPU", "in node 3", "constant", "on the CPU".
std::string WhereText(const NodeRow& row);

std::string TextPage(const ReportData& data);

// One file, without scripts, that needs nothing else.
std::string HtmlPage(const ReportData& data);

// For other programs: all but the timeline. Times that were not measured are
// left out.
nlohmann::ordered_json JsonPage(const ReportData& data);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_MODEL_REPORT_PAGES_H_
