#include "benches/common/bench_main.h"

#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "benches/common/bench_device.h"
#include "benches/common/bench_progress.h"
#include "benchmark/benchmark.h"
#include "tools/common/progress.h"
#include "tools/runner/git_revision.h"

namespace gles_delegate {
namespace {

// Settings from the environment, "GLES_BENCH_HALF=1 ...", without folders.
std::string Settings() {
  std::vector<absl::string_view> settings;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const absl::string_view setting = *entry;
    if (absl::StartsWith(setting, "GLES_") &&
        !absl::StrContains(setting, "_DIR=")) {
      settings.push_back(setting);
    }
  }
  std::sort(settings.begin(), settings.end());
  return absl::StrJoin(settings, " ");
}

}  // namespace

int BenchMain(int argc, char** argv) {
  std::vector<std::string> names;
  if (ProgressSink::Stderr().terminal) {
    names = ChosenBenches(std::vector<char*>(argv, argv + argc));
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  const auto& device = BenchContext()->device();
  benchmark::AddCustomContext("renderer", device.renderer);
  benchmark::AddCustomContext("driver", device.version);
  benchmark::AddCustomContext("revision", GitRevision());
  if (const std::string settings = Settings(); !settings.empty()) {
    benchmark::AddCustomContext("settings", settings);
  }
  RunWithProgress(std::move(names));
  return 0;
}

}  // namespace gles_delegate
