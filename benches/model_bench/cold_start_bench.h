// From nothing to a model's first result, in fresh processes.
#ifndef GLES_DELEGATE_BENCHES_MODEL_BENCH_COLD_START_BENCH_H_
#define GLES_DELEGATE_BENCHES_MODEL_BENCH_COLD_START_BENCH_H_

#include <string>

#include "absl/status/status.h"
#include "benchmark/benchmark.h"

namespace gles_delegate {

// Time, and none_ms: delegate made and applied, tensors allocated, first
// Invoke; without any cache. write_ms: a start that writes the start-up cache;
// warm_ms: one that reads it; init_ms and warm_init_ms: those without the first
// Invoke. Medians of GLES_BENCH_STARTS processes (3; one on a software driver,
// which compiles for seconds). The driver's own disk cache is off unless
// GLES_BENCH_DRIVER_CACHE=1.
absl::Status MeasureColdStart(const std::string& path, benchmark::State* state);

// Whether this process is one of them; what it does then, and its exit status.
bool IsColdStart();
int RunColdStart();

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_BENCHES_MODEL_BENCH_COLD_START_BENCH_H_
