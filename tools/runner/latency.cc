#include "tools/runner/latency.h"

#include <malloc.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "base/status_macros.h"
#include "tools/common/progress.h"

namespace gles_delegate {
namespace {

double Percentile(const std::vector<double>& sorted, double fraction) {
  const double at = fraction * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<size_t>(std::floor(at));
  const auto high = static_cast<size_t>(std::ceil(at));
  const double weight = at - std::floor(at);
  return sorted[low] * (1 - weight) + sorted[high] * weight;
}

double CpuMs() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 +
         static_cast<double>(now.tv_nsec) * 1e-6;
}

absl::StatusOr<TimedInvoke> TimeInvoke(Interpreter& interpreter,
                                       const LatencyOptions& options) {
  if (options.before_each != nullptr) {
    RETURN_IF_ERROR(options.before_each());
  }
  const double start = NowMs(), cpu_start = CpuMs();
  RETURN_IF_ERROR(interpreter.Invoke());
  return TimedInvoke{start, NowMs() - start, CpuMs() - cpu_start};
}

}  // namespace

double NowMs() {
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

LatencyStats Summarize(std::vector<double> samples_ms) {
  LatencyStats stats;
  if (samples_ms.empty()) return stats;
  std::sort(samples_ms.begin(), samples_ms.end());
  stats.median = Percentile(samples_ms, 0.5);
  stats.p5 = Percentile(samples_ms, 0.05);
  stats.p95 = Percentile(samples_ms, 0.95);
  stats.min = samples_ms.front();
  stats.max = samples_ms.back();
  stats.runs = static_cast<int>(samples_ms.size());
  stats.mean =
      std::accumulate(samples_ms.begin(), samples_ms.end(), 0.0) / stats.runs;
  return stats;
}

absl::StatusOr<Latency> MeasureLatency(Interpreter& interpreter,
                                       const LatencyOptions& options) {
  Latency latency;
  ASSIGN_OR_RETURN(TimedInvoke run, TimeInvoke(interpreter, options));
  latency.first_invoke_ms = run.ms;
  for (int i = 1; i < options.warmup_runs && !Interrupted(); ++i) {
    ASSIGN_OR_RETURN(run, TimeInvoke(interpreter, options));
  }
  std::vector<double> samples, cpu_samples;
  const double warm = NowMs();
  while (options.is_settled != nullptr && !options.is_settled() &&
         NowMs() - warm < options.max_secs * 1000 && !Interrupted()) {
    ASSIGN_OR_RETURN(run, TimeInvoke(interpreter, options));
    samples.push_back(run.ms);
  }
  latency.settling_ms = Summarize(std::exchange(samples, {}));
  std::optional<Progress> progress;
  if (options.shows_progress) progress.emplace("runs", options.num_runs);
  const double start = NowMs();
  double elapsed_secs = 0;
  do {
    ASSIGN_OR_RETURN(run, TimeInvoke(interpreter, options));
    samples.push_back(run.ms);
    cpu_samples.push_back(run.cpu_ms);
    latency.invokes.push_back(run);
    if (progress.has_value()) {
      const auto done = static_cast<int64_t>(samples.size());
      progress->Show(std::min<int64_t>(done, options.num_runs), "");
    }
    elapsed_secs = (NowMs() - start) / 1000;
  } while ((static_cast<int>(samples.size()) < options.num_runs ||
            elapsed_secs < options.min_secs) &&
           elapsed_secs < options.max_secs && !Interrupted());
  latency.invoke_ms = Summarize(std::move(samples));
  latency.cpu_ms = Summarize(std::move(cpu_samples)).median;
  return latency;
}

void ResetPeakRss() {
  // Memory that earlier backends freed is given back first, as it would be
  // counted here.
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";
}

double PeakRssMb() {
  std::ifstream status("/proc/self/status");
  std::string key;
  while (status >> key) {
    if (key == "VmHWM:") {
      double kib = 0;
      status >> kib;
      return kib / 1024;
    }
    status.ignore(1 << 16, '\n');
  }
  return 0;
}

Choice Choose(const std::vector<double>& speedups, bool software,
              bool delegated, bool right) {
  constexpr double kAboutTheSame = 1.15;
  if (!right) {
    return {"cpu", "Use the CPU here, as this driver computes wrong results"};
  }
  if (!delegated) {
    return {"cpu", "Use the CPU here, as no node of it runs on the GPU"};
  }
  if (software) return {"cpu", "Use the CPU here, as there is no GPU"};
  const auto most = [&](auto is) {
    return 4 * std::count_if(speedups.begin(), speedups.end(), is) >
           3 * static_cast<int64_t>(speedups.size());
  };
  if (most([&](double s) { return s > kAboutTheSame; })) {
    return {"gpu", "Use the GPU here"};
  }
  if (most([&](double s) { return s < 1 / kAboutTheSame; })) {
    return {"cpu", "Use the CPU here"};
  }
  return {"either", "About the same here"};
}

}  // namespace gles_delegate
