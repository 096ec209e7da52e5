// What model_bench runs models on, how long and how often.
#ifndef GLES_DELEGATE_BENCHES_MODEL_BENCH_SAMPLES_H_
#define GLES_DELEGATE_BENCHES_MODEL_BENCH_SAMPLES_H_

#include <time.h>

#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "tools/common/tflite_host.h"
#include "tools/runner/latency.h"

namespace gles_delegate {

// Three warm-up runs, then ten at least and GLES_BENCH_MIN_SECS (half a second)
// at least.
LatencyOptions BenchRuns();

// Fills the inputs at random, the same at each call.
absl::Status WriteRandomInputs(Interpreter& interpreter);

// Calls `run` as BenchRuns() has it; the first error ends it.
absl::Status Repeat(absl::FunctionRef<absl::Status(bool counts)> run);

// The median; 0 of none.
double Median(std::vector<double> samples);

// The value of a whole number in the environment, or `otherwise`.
int FromEnvironment(const char* variable, int otherwise);

// Microseconds of a clock: CLOCK_MONOTONIC, CLOCK_THREAD_CPUTIME_ID, ...
double ClockUs(clockid_t clock);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_BENCHES_MODEL_BENCH_SAMPLES_H_
