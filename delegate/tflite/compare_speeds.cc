#include "delegate/tflite/compare_speeds.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace gles_delegate {
namespace {

absl::StatusOr<double> TimeByClock(Processor,
                                   absl::FunctionRef<absl::Status()> run) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  if (auto s = run(); !s.ok()) return s;
  return std::chrono::duration<double, std::milli>(Clock::now() - begin)
      .count();
}

TimeRun& Timer() {
  static TimeRun& time = *new TimeRun(TimeByClock);
  return time;
}

absl::StatusOr<double> MedianMs(Processor processor,
                                absl::FunctionRef<absl::Status()> run) {
  constexpr size_t kWarmUps = 2, kRuns = 15;
  constexpr double kMostMs = 250;
  std::vector<double> ms;
  double spent = 0;
  // The first runs find clocks low and caches cold.
  while (ms.size() < 2 || (ms.size() < kWarmUps + kRuns && spent < kMostMs)) {
    const auto one = Timer()(processor, run);
    if (!one.ok()) return one.status();
    ms.push_back(*one);
    spent += *one;
  }
  ms.erase(ms.begin(), ms.begin() + std::min(kWarmUps, ms.size() - 1));
  const auto middle = ms.begin() + ms.size() / 2;
  std::nth_element(ms.begin(), middle, ms.end());
  return *middle;
}

}  // namespace

absl::StatusOr<Speeds> CompareSpeeds(
    absl::FunctionRef<absl::Status()> run_on_gpu,
    absl::FunctionRef<absl::Status()> run_on_cpu) {
  const auto gpu_ms = MedianMs(Processor::kGpu, run_on_gpu);
  if (!gpu_ms.ok()) return gpu_ms.status();
  const auto cpu_ms = MedianMs(Processor::kCpu, run_on_cpu);
  if (!cpu_ms.ok()) return cpu_ms.status();
  return Speeds{*gpu_ms, *cpu_ms};
}

std::string SpeedsText(const Speeds& speeds) {
  return absl::StrCat("gpu_ms=", speeds.gpu_ms, ",cpu_ms=", speeds.cpu_ms);
}

std::optional<Speeds> SpeedsFromText(absl::string_view text) {
  const std::vector<absl::string_view> parts =
      absl::StrSplit(text, absl::ByAnyChar("=,"));
  Speeds speeds;
  if (parts.size() != 4 || parts[0] != "gpu_ms" || parts[2] != "cpu_ms" ||
      !absl::SimpleAtod(parts[1], &speeds.gpu_ms) ||
      !absl::SimpleAtod(parts[3], &speeds.cpu_ms)) {
    return std::nullopt;
  }
  const auto is_time = [](double ms) { return std::isfinite(ms) && ms > 0; };
  if (!is_time(speeds.gpu_ms) || !is_time(speeds.cpu_ms)) return std::nullopt;
  return speeds;
}

ScopedTimeRun::ScopedTimeRun(TimeRun time)
    : before_(std::exchange(Timer(), std::move(time))) {}

ScopedTimeRun::~ScopedTimeRun() { Timer() = std::move(before_); }

}  // namespace gles_delegate
