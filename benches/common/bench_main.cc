#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "benches/common/bench_device.h"
#include "benchmark/benchmark.h"
#include "tools/common/progress.h"
#include "tools/runner/git_revision.h"

namespace gles_delegate {
namespace {

// The progress of a run of benches, on a terminal: a bar below the finished
// rows.

constexpr std::chrono::milliseconds kRedraw(500);

// Takes the list that --benchmark_list_tests prints.
class ListReporter : public benchmark::BenchmarkReporter {
 public:
  ListReporter() { SetOutputStream(&list); }
  bool ReportContext(const Context&) override { return false; }
  void ReportRuns(const std::vector<Run>&) override {}

  std::stringstream list;
};

// Google Benchmark's own reporter, with the bar taken away before each row.
class ProgressReporter : public benchmark::BenchmarkReporter {
 public:
  ProgressReporter(std::vector<std::string> names, ProgressSink sink)
      : names_(std::move(names)),
        rows_(benchmark::CreateDefaultDisplayReporter()),
        progress_("benches", static_cast<int64_t>(names_.size()),
                  std::move(sink)),
        drawer_([this] { Draw(); }) {}

  ~ProgressReporter() override {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    drawer_.join();
  }

  bool ReportContext(const Context& context) override {
    std::lock_guard<std::mutex> lock(mutex_);
    progress_.Clear();
    return rows_->ReportContext(context);
  }

  void ReportRuns(const std::vector<Run>& runs) override {
    std::lock_guard<std::mutex> lock(mutex_);
    progress_.Clear();
    rows_->ReportRuns(runs);
    GetOutputStream().flush();
    done_ = std::min(done_ + 1, names_.size());
  }

  void Finalize() override {
    std::lock_guard<std::mutex> lock(mutex_);
    progress_.Clear();
    rows_->Finalize();
  }

 private:
  void Draw() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (!changed_.wait_for(lock, kRedraw, [this] { return over_; })) {
      if (done_ < names_.size()) {
        progress_.Show(static_cast<int64_t>(done_), names_[done_]);
      }
    }
    progress_.Clear();
  }

  const std::vector<std::string> names_;
  // The library's, which keeps one for ever.
  benchmark::BenchmarkReporter* const rows_;
  std::mutex mutex_;  // of what follows, and of what is on the terminal
  std::condition_variable changed_;
  Progress progress_;
  size_t done_ = 0;
  bool over_ = false;
  std::thread drawer_;  // the last, as it uses the others
};

// The benches that the command line chooses, in their order. Google Benchmark
// has parsed the command line then, without effect for the run itself:
// Initialize() is to be called again.
std::vector<std::string> ChosenBenches(std::vector<char*> arguments) {
  char list_tests[] = "--benchmark_list_tests=true";
  char run_tests[] = "--benchmark_list_tests=false";
  arguments.push_back(list_tests);
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  benchmark::Initialize(&count, arguments.data());
  ListReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  std::vector<std::string> names;
  for (std::string line; std::getline(reporter.list, line);) {
    names.push_back(line);
  }
  char* again[] = {arguments[0], run_tests, nullptr};
  count = 2;
  benchmark::Initialize(&count, again);
  return names;
}

// Runs the benches that the flags choose, as
// benchmark::RunSpecifiedBenchmarks() does. Where standard error is a terminal,
// it shows how many of `names` are done, which one runs and how long the others
// take; a thread draws that twice a second. A bench with repetitions counts
// once. Nothing is shown in a file: each row is a line there anyway.
void RunWithProgress(std::vector<std::string> names) {
  ProgressSink sink = ProgressSink::Stderr();
  if (!sink.terminal) {
    benchmark::RunSpecifiedBenchmarks();
    return;
  }
  ProgressReporter reporter(std::move(names), std::move(sink));
  benchmark::RunSpecifiedBenchmarks(&reporter);
}

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
