// Whole models: latency beside XNNPACK's (model/<name>), what an inference
// costs the processor (submit/<name>), several interpreters at once
// (throughput/<name>), and the first result of a fresh process
// (cold_start/<name>). The headers in model_bench/ say what each counter is.
//
//   model_bench --benchmark_filter=model/
//   GLES_DELEGATE_SHARED_DIR=../shared model_bench    the folder with models/
//   GLES_BENCH_MIN_SECS=2 model_bench                 longer measurements
//   GLES_BENCH_THREADS=1 model_bench                  of XNNPACK
//   GLES_BENCH_INTERPRETERS=4 model_bench             at once, 8 unless told
//   GLES_BENCH_STARTS=5 GLES_BENCH_DRIVER_CACHE=1 model_bench
//       --benchmark_filter=cold_start
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "benches/common/bench_device.h"
#include "benches/common/bench_main.h"
#include "benches/model_bench/cold_start_bench.h"
#include "benches/model_bench/latency_bench.h"
#include "benches/model_bench/submit_bench.h"
#include "benches/model_bench/throughput_bench.h"
#include "benchmark/benchmark.h"

namespace gles_delegate {
namespace {

namespace fs = std::filesystem;

fs::path ModelsFolder() {
  const char* shared = std::getenv("GLES_DELEGATE_SHARED_DIR");
  const fs::path folder = shared == nullptr
                              ? fs::path(BenchDir()) / "../../shared"
                              : fs::path(shared);
  return (folder / "models").lexically_normal();
}

std::vector<fs::path> Models(const fs::path& folder) {
  std::vector<fs::path> models;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".tflite") models.push_back(entry.path());
  }
  std::sort(models.begin(), models.end());
  return models;
}

// One iteration: each measurement repeats what it needs to (model_bench/
// samples.h), since medians are wanted and setting up is dear.
void Register(const std::string& kind, const fs::path& model,
              const std::function<absl::Status(benchmark::State*)>& measure) {
  benchmark::RegisterBenchmark(
      absl::StrCat(kind, "/", model.stem().string()).c_str(),
      [measure](benchmark::State& state) {
        const absl::Status status = measure(&state);
        if (!status.ok()) state.SkipWithError(status.ToString().c_str());
      })
      ->Iterations(1)
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

// False if no model is given.
bool RegisterAll() {
  const fs::path folder = ModelsFolder();
  const std::vector<fs::path> models = Models(folder);
  if (models.empty()) {
    std::fprintf(stderr,
                 "SKIPPED: no .tflite models in %s. Set "
                 "GLES_DELEGATE_SHARED_DIR to the folder that holds models/.\n",
                 folder.c_str());
    return false;
  }
  for (const fs::path& model : models) {
    const std::string path = model.string();
    Register("model", model, [path](benchmark::State* state) {
      return MeasureModel(path, state);
    });
  }
  for (const fs::path& model : models) {
    const std::string path = model.string();
    Register("submit", model, [path](benchmark::State* state) {
      return BenchContext()->Run(
          [&] { return MeasureSubmission(path, state); });
    });
  }
  for (const fs::path& model : models) {
    const std::string path = model.string();
    Register("throughput", model, [path](benchmark::State* state) {
      return MeasureThroughput(path, state);
    });
  }
  for (const fs::path& model : models) {
    const std::string path = model.string();
    Register("cold_start", model, [path](benchmark::State* state) {
      return MeasureColdStart(path, state);
    });
  }
  return true;
}

}  // namespace
}  // namespace gles_delegate

int main(int argc, char** argv) {
  if (gles_delegate::IsColdStart()) return gles_delegate::RunColdStart();
  if (!gles_delegate::RegisterAll()) return 0;
  return gles_delegate::BenchMain(argc, argv);
}
