// Backends with the flags that say how they run.
#include <algorithm>
#include <thread>

#include "absl/flags/flag.h"
#include "base/status_macros.h"
#include "tools/runner/backend_flags.h"

ABSL_FLAG(int, num_threads, 1,
          "CPU threads, of the built-in kernels and XNNPACK");

namespace gles_delegate {

BackendSpec SpecFromFlags(BackendSpec::Kind kind) {
  BackendSpec spec;
  spec.kind = kind;
  spec.num_threads = absl::GetFlag(FLAGS_num_threads);
  return spec;
}

absl::StatusOr<BackendSpec> GlesFromFlags(Compilation compilation) {
  BackendSpec spec = SpecFromFlags(BackendSpec::Kind::kGles);
  ASSIGN_OR_RETURN(spec.options, GlesOptionsFromFlag());
  // Of a key that comes twice the last value counts: the user's.
  if (compilation == Compilation::kAtOnce) {
    spec.options.insert(spec.options.begin(), {"startup", "direct"});
  }
  return spec;
}

void ThreadsOfACpu() {
  absl::SetFlag(
      &FLAGS_num_threads,
      std::max(1u, std::min(4u, std::thread::hardware_concurrency())));
}

}  // namespace gles_delegate
