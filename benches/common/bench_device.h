// The device that the benches run on, and what it can do at most.
#ifndef GLES_DELEGATE_BENCHES_COMMON_BENCH_DEVICE_H_
#define GLES_DELEGATE_BENCHES_COMMON_BENCH_DEVICE_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "benchmark/benchmark.h"
#include "egl/context.h"
#include "egl/objects.h"

namespace gles_delegate {

// Made at the first call, by GLES_DELEGATE_DEVICE; the process exits with a
// message where there is none. Lives for ever.
egl::Context* BenchContext();

// Runs fn in that context; an error ends the benchmark.
void InContext(benchmark::State& state, absl::FunctionRef<absl::Status()> fn);

// The project's folder benches/: where this was built, or GLES_BENCH_DIR, or
// below the working directory.
std::string BenchDir();

// benches/shaders/<name>.comp, compiled. Inside BenchContext()->Run().
absl::StatusOr<egl::Program> BenchProgram(absl::string_view name);

// Waits until the device has done all it was given.
absl::Status WaitForDevice();

// The device's peak rates, each measured once a process, the best of a few
// dispatches; too low if the device is a busy processor. Inside
// BenchContext()->Run().
struct Peak {
  double gflops = 0;  // float32 multiply-adds of registers alone
  double gbytes = 0;  // read and written a second by copying a large buffer
};
absl::StatusOr<Peak> DevicePeak();

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_BENCHES_COMMON_BENCH_DEVICE_H_
