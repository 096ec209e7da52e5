// Latencies of Invoke and the memory of the process, as benchmarks report them.
#ifndef GLES_DELEGATE_TOOLS_RUNNER_LATENCY_H_
#define GLES_DELEGATE_TOOLS_RUNNER_LATENCY_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/common/tflite_host.h"

namespace gles_delegate {

// Milliseconds of the monotonic clock.
double NowMs();

// Milliseconds. Percentiles are interpolated between the sorted samples.
struct LatencyStats {
  double median = 0;
  double p5 = 0;
  double p95 = 0;
  double min = 0;
  double max = 0;
  double mean = 0;
  int runs = 0;
};

// All zero if there are no samples.
LatencyStats Summarize(std::vector<double> samples_ms);

struct LatencyOptions {
  int warmup_runs = 1;  // not counted; the first is timed apart
  // Asked after the warm-up runs: while it gives false, further runs go on that
  // are not counted, for max_secs at most. Empty: there are none.
  std::function<bool()> is_settled;
  int num_runs = 50;      // at least this many...
  double min_secs = 0;    // ... and for at least so long...
  double max_secs = 150;  // ... but no longer than this (one run at least)
  bool shows_progress = false;  // on stderr, between the runs
  // Called before each run, and not timed; may be empty. An error ends it all.
  std::function<absl::Status()> before_each;
};

struct TimedInvoke {
  double start_ms = 0;  // as NowMs() gives it
  double ms = 0;
  double cpu_ms = 0;  // of the processor, all threads of the process together
};

struct Latency {
  double first_invoke_ms = 0;
  LatencyStats settling_ms;  // of the runs that LatencyOptions::is_settled adds
  LatencyStats invoke_ms;
  double cpu_ms = 0;                 // the median of invokes'
  std::vector<TimedInvoke> invokes;  // those of invoke_ms
};

// Invokes with the inputs as they are, or as before_each leaves them. The first
// Invoke counts as a warm-up run, so it happens even where warmup_runs is 0.
// After Interrupted() no further run begins; the runs that were timed count.
absl::StatusOr<Latency> MeasureLatency(Interpreter& interpreter,
                                       const LatencyOptions& options);

// Starts a new peak of the process's resident memory. Linux before 4.0 and some
// sandboxes cannot: there the peak is that of the process's whole life.
void ResetPeakRss();
// MiB; 0 where the system does not say.
double PeakRssMb();

// Whether a model is to run with the delegate or on the CPU.

struct Choice {
  std::string use;   // "gpu", "cpu", or "either": another run may differ
  std::string text;  // "Use the GPU here"
};

// `speedups`: the CPU's time over the delegate's, of runs by turns. A side is
// chosen if it takes 15% less time in more than three quarters of them. On a
// software renderer the CPU is: the delegate would only compute there, too.
// `delegated`: some nodes are; `right`: so are the results.
Choice Choose(const std::vector<double>& speedups, bool software,
              bool delegated = true, bool right = true);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_TOOLS_RUNNER_LATENCY_H_
