#include "tools/runner/report_json.h"

#include <string>

#include "absl/flags/flag.h"
#include "tools/common/text_file.h"

ABSL_FLAG(std::string, report_json, "", "write the results to this file");

namespace gles_delegate {

absl::Status WriteReport(const nlohmann::ordered_json& report) {
  const std::string path = absl::GetFlag(FLAGS_report_json);
  if (path.empty()) return absl::OkStatus();
  return WriteText(path, report.dump(2) + "\n");
}

}  // namespace gles_delegate
