// A whole model on the GL delegate, as an app runs it, and on XNNPACK.
#ifndef GLES_DELEGATE_BENCHES_MODEL_BENCH_LATENCY_BENCH_H_
#define GLES_DELEGATE_BENCHES_MODEL_BENCH_LATENCY_BENCH_H_

#include <string>

#include "absl/status/status.h"
#include "benchmark/benchmark.h"

namespace gles_delegate {

// Time: the median Invoke on GL, host tensors in and out. Counters: xnnpack_ms,
// xnnpack_delegated (the share of the nodes that XNNPACK took: if it is 0,
// xnnpack_ms is the built-in kernels' time)
// and ratio (GL over XNNPACK) in the same process; p95_ms; delegated, the share
// of the model's nodes.
absl::Status MeasureModel(const std::string& path, benchmark::State* state);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_BENCHES_MODEL_BENCH_LATENCY_BENCH_H_
