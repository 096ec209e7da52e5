// The main() of every bench: what it ran on goes into the JSON's context,
// beside the date and the machine that Google Benchmark writes there.
#include "benches/common/bench_device.h"
#include "benchmark/benchmark.h"
#include "tools/runner/git_revision.h"

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  const auto& device = gles_delegate::BenchContext()->device();
  benchmark::AddCustomContext("renderer", device.renderer);
  benchmark::AddCustomContext("driver", device.version);
  benchmark::AddCustomContext("revision", gles_delegate::GitRevision());
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
