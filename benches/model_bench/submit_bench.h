// The cost of an inference on the processor: its dispatches recorded and handed
// to the driver.
#ifndef GLES_DELEGATE_BENCHES_MODEL_BENCH_SUBMIT_BENCH_H_
#define GLES_DELEGATE_BENCHES_MODEL_BENCH_SUBMIT_BENCH_H_

#include <string>

#include "absl/status/status.h"
#include "benchmark/benchmark.h"

namespace gles_delegate {

// Time, and submit_us: processor time of the submitting thread, with the copy
// of the inputs to memory that the device sees. submit_wall_us: how long it was
// busy with that or kept waiting by the driver (llvmpipe computes meanwhile);
// wall_us: until the outputs are there; cpu_us: processor time of the whole
// inference, all threads; passive_wait_us and passive_wait_cpu_us: the wait for
// the outputs and their copy, by the clock and in processor time of the thread
// that waits; active_ and aggressive_ in the same way; upload_us, gpu_us,
// readback_us: what the device does, the three parts by themselves; dispatches.
// Of the model's largest partition. Inside BenchContext()->Run().
absl::Status MeasureSubmission(const std::string& path,
                               benchmark::State* state);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_BENCHES_MODEL_BENCH_SUBMIT_BENCH_H_
