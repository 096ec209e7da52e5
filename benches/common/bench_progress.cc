#include "benches/common/bench_progress.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "benchmark/benchmark.h"
#include "tools/common/progress.h"

namespace gles_delegate {
namespace {

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

}  // namespace

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

void RunWithProgress(std::vector<std::string> names) {
  ProgressSink sink = ProgressSink::Stderr();
  if (!sink.terminal) {
    benchmark::RunSpecifiedBenchmarks();
    return;
  }
  ProgressReporter reporter(std::move(names), std::move(sink));
  benchmark::RunSpecifiedBenchmarks(&reporter);
}

}  // namespace gles_delegate
