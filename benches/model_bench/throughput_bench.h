// Several interpreters of one model at once on one GPU: how much more they give
// together than one alone.
#ifndef GLES_DELEGATE_BENCHES_MODEL_BENCH_THROUGHPUT_BENCH_H_
#define GLES_DELEGATE_BENCHES_MODEL_BENCH_THROUGHPUT_BENCH_H_

#include <string>

#include "absl/status/status.h"
#include "benchmark/benchmark.h"

namespace gles_delegate {

// Runs 1, 2, 4 and 8 interpreters of a model (to GLES_BENCH_INTERPRETERS at
// most), each with a delegate, a context and a thread of its own, host tensors
// in and out. Time: what one inference takes while 1 interpreter runs.
// Counters, for each number N of interpreters: per_s_N, inferences a second of
// all together, and gain_N, per_s_N over per_s_1 of the same process. One
// interpreter is measured again at the end, per_s_1_again: where it differs
// from per_s_1, the machine was not quiet. kFailedPrecondition: an interpreter
// got no node onto the GPU.
absl::Status MeasureThroughput(const std::string& path,
                               benchmark::State* state);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_BENCHES_MODEL_BENCH_THROUGHPUT_BENCH_H_
