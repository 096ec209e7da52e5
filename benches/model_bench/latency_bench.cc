#include "benches/model_bench/latency_bench.h"

#include <algorithm>
#include <thread>

#include "benches/model_bench/samples.h"
#include "tools/runner/backend.h"

namespace gles_delegate {
namespace {

struct Run {
  LatencyStats ms;
  BackendFacts facts;
};

absl::StatusOr<Run> RunOn(const Model& model, const BackendSpec& spec) {
  auto backend = Backend::Create(model, spec);
  if (!backend.ok()) return backend.status();
  Interpreter& interpreter = (*backend)->interpreter();
  if (auto s = WriteRandomInputs(interpreter); !s.ok()) return s;
  auto latency = MeasureLatency(interpreter, BenchRuns());
  if (!latency.ok()) return latency.status();
  auto facts = (*backend)->Facts();
  if (!facts.ok()) return facts.status();
  return Run{latency->invoke_ms, *std::move(facts)};
}

// As many as there are cores, up to what phones have of fast ones.
int Threads() {
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  return FromEnvironment("GLES_BENCH_THREADS", std::clamp(cores, 1, 4));
}

}  // namespace

absl::Status MeasureModel(const std::string& path, benchmark::State* state) {
  auto model = Model::FromFile(path);
  if (!model.ok()) return model.status();
  BackendSpec spec;
  spec.kind = BackendSpec::Kind::kXnnpack;
  spec.num_threads = Threads();
  const auto cpu = RunOn(**model, spec);
  if (!cpu.ok()) return cpu.status();
  spec.kind = BackendSpec::Kind::kGles;
  spec.options = {{"startup", "direct"}};  // no baseline plan is timed
  const auto gles = RunOn(**model, spec);
  if (!gles.ok()) return gles.status();
  for (auto _ : *state) state->SetIterationTime(gles->ms.median * 1e-3);
  state->counters["p95_ms"] = gles->ms.p95;
  state->counters["xnnpack_ms"] = cpu->ms.median;
  state->counters["xnnpack_threads"] = spec.num_threads;
  state->counters["xnnpack_delegated"] =
      static_cast<double>(cpu->facts.nodes_delegated) /
      std::max(1, cpu->facts.nodes_total);
  state->counters["ratio"] = gles->ms.median / cpu->ms.median;
  state->counters["delegated"] =
      static_cast<double>(gles->facts.nodes_delegated) /
      std::max(1, gles->facts.nodes_total);
  return absl::OkStatus();
}

}  // namespace gles_delegate
