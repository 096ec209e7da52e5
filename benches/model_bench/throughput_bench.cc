#include "benches/model_bench/throughput_bench.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "benches/model_bench/samples.h"
#include "tools/runner/backend.h"

namespace gles_delegate {
namespace {

// What the threads of one measurement share.
struct Race {
  const Model& model;
  std::atomic<int> ready{0};  // interpreters that are warm, or have failed
  std::atomic<bool> go{false};
  std::atomic<bool> stop{false};
  std::atomic<int> through{0};  // that have ended their last inference
};

struct Runner {
  absl::Status status;
  long long inferences = 0;  // between go and stop
};

absl::Status Warm(Interpreter& interpreter) {
  if (auto s = WriteRandomInputs(interpreter); !s.ok()) return s;
  for (int i = 0; i < BenchRuns().warmup_runs; ++i) {
    if (auto s = interpreter.Invoke(); !s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Backend>> WarmBackend(const Model& model) {
  BackendSpec spec;
  spec.kind = BackendSpec::Kind::kGles;
  auto backend = Backend::Create(model, spec);
  if (!backend.ok()) return backend.status();
  const auto facts = (*backend)->Facts();
  if (!facts.ok()) return facts.status();
  if (facts->nodes_delegated == 0) {
    return absl::FailedPreconditionError("no node of the model is on the GPU");
  }
  if (auto s = Warm((*backend)->interpreter()); !s.ok()) return s;
  return backend;
}

// Between go and stop.
void InvokeAgainAndAgain(Race& race, Interpreter& interpreter, Runner& runner) {
  while (!race.go) std::this_thread::yield();
  while (!race.stop && runner.status.ok()) {
    runner.status = interpreter.Invoke();
    ++runner.inferences;
  }
}

// The whole life of one interpreter, on the calling thread.
void RunOne(Race& race, Runner& runner) {
  auto backend = WarmBackend(race.model);
  runner.status = backend.status();
  ++race.ready;
  if (backend.ok()) {
    InvokeAgainAndAgain(race, (*backend)->interpreter(), runner);
  }
  ++race.through;
}

void WaitFor(const std::atomic<int>& value, int count) {
  while (value < count) {
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

// Inferences a second of `count` interpreters together. All are warm before the
// first one counts.
absl::StatusOr<double> PerSecond(const Model& model, int count) {
  Race race{model};
  std::vector<Runner> runners(count);
  std::vector<std::thread> threads;
  for (Runner& runner : runners) {
    threads.emplace_back([&race, &runner] { RunOne(race, runner); });
  }
  WaitFor(race.ready, count);
  const double start = NowMs();
  race.go = true;
  std::this_thread::sleep_for(
      std::chrono::duration<double>(BenchRuns().min_secs));
  race.stop = true;
  // Each thread ends the inference in which the stop found it; what its
  // interpreter takes to go is not counted.
  WaitFor(race.through, count);
  const double seconds = (NowMs() - start) * 1e-3;
  for (std::thread& thread : threads) thread.join();
  long long inferences = 0;
  for (const Runner& runner : runners) {
    if (!runner.status.ok()) return runner.status;
    inferences += runner.inferences;
  }
  return static_cast<double>(inferences) / seconds;
}

}  // namespace

absl::Status MeasureThroughput(const std::string& path,
                               benchmark::State* state) {
  auto model = Model::FromFile(path);
  if (!model.ok()) return model.status();
  const auto one = PerSecond(**model, 1);
  if (!one.ok()) return one.status();
  for (auto _ : *state) state->SetIterationTime(1 / *one);
  state->counters["per_s_1"] = *one;
  const int most = FromEnvironment("GLES_BENCH_INTERPRETERS", 8);
  for (int count = 2; count <= most; count *= 2) {
    const auto together = PerSecond(**model, count);
    if (!together.ok()) return together.status();
    state->counters[absl::StrCat("per_s_", count)] = *together;
    state->counters[absl::StrCat("gain_", count)] = *together / *one;
  }
  const auto again = PerSecond(**model, 1);
  if (!again.ok()) return again.status();
  state->counters["per_s_1_again"] = *again;
  return absl::OkStatus();
}

}  // namespace gles_delegate
