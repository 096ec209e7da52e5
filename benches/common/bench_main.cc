#include "benches/common/bench_main.h"

#include "benches/common/bench_device.h"
#include "benchmark/benchmark.h"
#include "tools/runner/git_revision.h"

namespace gles_delegate {

int BenchMain(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  const auto& device = BenchContext()->device();
  benchmark::AddCustomContext("renderer", device.renderer);
  benchmark::AddCustomContext("driver", device.version);
  benchmark::AddCustomContext("revision", GitRevision());
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace gles_delegate
