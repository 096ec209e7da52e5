// The device that the benches run on, and what it can do at most.
#ifndef GLES_DELEGATE_BENCHES_COMMON_BENCH_DEVICE_H_
#define GLES_DELEGATE_BENCHES_COMMON_BENCH_DEVICE_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "egl/context.h"
#include "egl/objects.h"

namespace gles_delegate {

// Made at the first call, by GLES_DELEGATE_DEVICE; the process exits with a
// message where there is none. Lives for ever.
egl::Context* BenchContext();

// benches/shaders/<name>.comp, compiled. Inside BenchContext()->Run().
absl::StatusOr<egl::Program> BenchProgram(absl::string_view name);

// float32 multiply-adds of registers alone, in GFLOP/s: the best of a few
// dispatches. Measured once a process: where the processor is the device and
// busy, too low. Inside BenchContext()->Run().
absl::StatusOr<double> PeakGflops();

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_BENCHES_COMMON_BENCH_DEVICE_H_
