#include "benches/model_bench/latency_bench.h"

#include <algorithm>
#include <thread>

#include "base/status_macros.h"
#include "benches/model_bench/samples.h"
#include "tools/runner/backend.h"

namespace gles_delegate {
namespace {

struct Run {
  LatencyStats ms;
  BackendFacts facts;
};

absl::StatusOr<Run> RunOn(const Model& model, const BackendSpec& spec) {
  ASSIGN_OR_RETURN(auto backend, Backend::Create(model, spec));
  Interpreter& interpreter = backend->interpreter();
  RETURN_IF_ERROR(WriteRandomInputs(interpreter));
  ASSIGN_OR_RETURN(auto latency, MeasureLatency(interpreter, BenchRuns()));
  ASSIGN_OR_RETURN(auto facts, backend->Facts());
  return Run{latency.invoke_ms, std::move(facts)};
}

// As many as there are cores, up to what phones have of fast ones.
int Threads() {
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  return FromEnvironment("GLES_BENCH_THREADS", std::clamp(cores, 1, 4));
}

}  // namespace

absl::Status MeasureModel(const std::string& path, benchmark::State* state) {
  ASSIGN_OR_RETURN(auto model, Model::FromFile(path));
  BackendSpec spec;
  spec.kind = BackendSpec::Kind::kXnnpack;
  spec.num_threads = Threads();
  ASSIGN_OR_RETURN(const auto cpu, RunOn(*model, spec));
  spec.kind = BackendSpec::Kind::kGles;
  spec.options = {{"startup", "direct"}};  // no baseline plan is timed
  ASSIGN_OR_RETURN(const auto gles, RunOn(*model, spec));
  for (auto _ : *state) state->SetIterationTime(gles.ms.median * 1e-3);
  state->counters["p95_ms"] = gles.ms.p95;
  state->counters["xnnpack_ms"] = cpu.ms.median;
  state->counters["xnnpack_threads"] = spec.num_threads;
  state->counters["xnnpack_delegated"] =
      static_cast<double>(cpu.facts.nodes_delegated) /
      std::max(1, cpu.facts.nodes_total);
  state->counters["ratio"] = gles.ms.median / cpu.ms.median;
  state->counters["delegated"] =
      static_cast<double>(gles.facts.nodes_delegated) /
      std::max(1, gles.facts.nodes_total);
  return absl::OkStatus();
}

}  // namespace gles_delegate
