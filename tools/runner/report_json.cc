#include "tools/runner/report_json.h"

#include <fstream>

#include "absl/flags/flag.h"

ABSL_FLAG(std::string, report_json, "", "write the results to this file");

namespace gles_delegate {

absl::Status WriteText(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text << "\n";
  file.close();
  if (!file) return absl::UnavailableError("Cannot write " + path);
  return absl::OkStatus();
}

absl::Status WriteReport(const nlohmann::ordered_json& report) {
  const std::string path = absl::GetFlag(FLAGS_report_json);
  if (path.empty()) return absl::OkStatus();
  return WriteText(path, report.dump(2));
}

}  // namespace gles_delegate
