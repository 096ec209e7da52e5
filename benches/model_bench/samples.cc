#include "benches/model_bench/samples.h"

#include <cstdlib>
#include <random>
#include <utility>

#include "absl/strings/numbers.h"
#include "base/status_macros.h"
#include "tools/runner/inputs.h"

namespace gles_delegate {

LatencyOptions BenchRuns() {
  LatencyOptions options;
  options.warmup_runs = 3;
  options.num_runs = 10;
  options.min_secs = 0.5;
  if (const char* text = std::getenv("GLES_BENCH_MIN_SECS")) {
    double secs = 0;
    if (absl::SimpleAtod(text, &secs)) options.min_secs = secs;
  }
  return options;
}

absl::Status WriteRandomInputs(Interpreter& interpreter) {
  std::mt19937 random(1);
  ASSIGN_OR_RETURN(auto inputs,
                   MakeInputs(interpreter, FloatInputs::kUniform, random));
  return WriteInputs(interpreter, inputs);
}

absl::Status Repeat(absl::FunctionRef<absl::Status(bool counts)> run) {
  const LatencyOptions options = BenchRuns();
  for (int i = 0; i < options.warmup_runs; ++i) {
    RETURN_IF_ERROR(run(false));
  }
  const double end = NowMs() + 1000 * options.min_secs;
  for (int i = 0; i < options.num_runs || NowMs() < end; ++i) {
    RETURN_IF_ERROR(run(true));
  }
  return absl::OkStatus();
}

double Median(std::vector<double> samples) {
  return Summarize(std::move(samples)).median;
}

int FromEnvironment(const char* variable, int otherwise) {
  const char* text = std::getenv(variable);
  int value = otherwise;
  return text != nullptr && absl::SimpleAtoi(text, &value) ? value : otherwise;
}

double ClockUs(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) * 1e6 +
         static_cast<double>(now.tv_nsec) * 1e-3;
}

}  // namespace gles_delegate
