#include "tools/runner/backend_flags.h"

#include <unistd.h>

#include <cstdio>
#include <string>

#include "absl/flags/declare.h"
#include "absl/flags/flag.h"
#include "tools/common/text_file.h"
#include "tools/runner/git_revision.h"
#include "tools/runner/tflite_flag.h"

ABSL_DECLARE_FLAG(std::string, report_json);

namespace gles_delegate {
namespace {

// A copy of stdout, for the report alone; -1: the report goes elsewhere.
int g_report = -1;

void LeaveStdoutToTheReport() {
  if (absl::GetFlag(FLAGS_report_json) != "-" || g_report >= 0) return;
  std::fflush(stdout);
  g_report = dup(STDOUT_FILENO);
  if (g_report >= 0) dup2(STDERR_FILENO, STDOUT_FILENO);
}

absl::Status WriteToStdout(const std::string& text) {
  std::FILE* const file = fdopen(g_report, "w");
  if (file == nullptr) return absl::UnavailableError("cannot write to stdout");
  const bool written = std::fputs(text.c_str(), file) >= 0;
  const bool closed = std::fclose(file) == 0;
  g_report = -1;
  return written && closed ? absl::OkStatus()
                           : absl::UnavailableError("cannot write to stdout");
}

}  // namespace
}  // namespace gles_delegate

ABSL_FLAG(std::string, report_json, "",
          "write the results to this file; -: to stdout, and the text to "
          "stderr")
    .OnUpdate(gles_delegate::LeaveStdoutToTheReport);

namespace gles_delegate {

absl::Status WriteReport(const nlohmann::ordered_json& report) {
  const std::string path = absl::GetFlag(FLAGS_report_json);
  if (path.empty()) return absl::OkStatus();
  const std::string text = report.dump(2) + "\n";
  return g_report >= 0 ? WriteToStdout(text) : WriteText(path, text);
}

nlohmann::ordered_json ToJson(const BackendFacts& facts) {
  return {{"nodes_total", facts.nodes_total},
          {"nodes_delegated", facts.nodes_delegated},
          {"partitions", facts.partitions},
          {"renderer", facts.renderer},
          {"driver", facts.driver},
          {"tflite", TfliteName()},
          {"revision", GitRevision()}};
}

}  // namespace gles_delegate
