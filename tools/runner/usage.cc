#include "tools/runner/usage.h"

#include "absl/flags/usage.h"
#include "absl/flags/usage_config.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

namespace gles_delegate {

void SetUsage(const std::string& usage) {
  absl::SetProgramUsageMessage(usage);
  absl::FlagsUsageConfig config;
  config.contains_help_flags = [](absl::string_view file) {
    return absl::StrContains(file, "tools/");
  };
  config.normalize_filename = [](absl::string_view file) {
    const size_t start = file.rfind("tools/");
    return std::string(file.substr(start == file.npos ? 0 : start));
  };
  absl::SetFlagsUsageConfig(config);
}

}  // namespace gles_delegate
