// Pictures of where a model's time goes.
#ifndef GLES_DELEGATE_TOOLS_MODEL_REPORT_CHARTS_H_
#define GLES_DELEGATE_TOOLS_MODEL_REPORT_CHARTS_H_

#include <string>

#include "tools/model_report/report_data.h"

namespace gles_delegate {

// Bars by op and by node, and a timeline of one inference, as HTML whose nodes
// link to the rows #n0, #n1, ... "" if nothing was measured.
std::string ChartsSection(const ReportData& data);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_MODEL_REPORT_CHARTS_H_
