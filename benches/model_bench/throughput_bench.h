// Several interpreters of one model at once on one GPU: how much more they give
// together than one alone.
#ifndef GLES_DELEGATE_BENCHES_MODEL_BENCH_THROUGHPUT_BENCH_H_
#define GLES_DELEGATE_BENCHES_MODEL_BENCH_THROUGHPUT_BENCH_H_

#include <string>

#include "absl/status/status.h"
#include "benchmark/benchmark.h"

namespace gles_delegate {

// Runs 1, 2, 4 and 8 interpreters of a model (to GLES_BENCH_INTERPRETERS at
// most), each on its own thread, host tensors in and out; once with a
// delegate and a context for each, once with one delegate for all, in
// thread_mode worker. Time: what one inference takes while 1 interpreter runs.
// Counters: per_s_1, inferences a second of that one; for each number N of
// interpreters gain_N and shared_gain_N, inferences a second of all together
// over per_s_1, with a delegate each and with one for all. One interpreter is
// measured again at the end, per_s_1_again: if it differs from per_s_1, the
// machine was not quiet.
// kFailedPrecondition: an interpreter got no node onto the GPU.
absl::Status MeasureThroughput(const std::string& path,
                               benchmark::State* state);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_BENCHES_MODEL_BENCH_THROUGHPUT_BENCH_H_
