// Advice to a model's author on what loses speed on this delegate.
#ifndef GLES_DELEGATE_TOOLS_MODEL_REPORT_ADVICE_H_
#define GLES_DELEGATE_TOOLS_MODEL_REPORT_ADVICE_H_

#include <string>
#include <vector>

#include "tools/model_report/report_data.h"

namespace gles_delegate {

struct Advice {
  std::string title;  // what to do: "Keep channels a multiple of 4"
  std::string text;   // what it costs here, with the nodes
};

// The most costly first; empty if there is nothing to say.
std::vector<Advice> AdviceFor(const ReportData& data);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_MODEL_REPORT_ADVICE_H_
