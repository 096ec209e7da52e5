#include "benches/model_bench/throughput_bench.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "benches/model_bench/samples.h"
#include "gles_delegate/gles_delegate.h"
#include "tools/common/tflite_host.h"
#include "tools/runner/backend.h"

namespace gles_delegate {
namespace {

// State that the threads of one measurement share.
struct Race {
  const Model& model;
  TfLiteDelegate* delegate;   // of all interpreters; nullptr: each its own
  std::atomic<int> ready{0};  // interpreters that are warm, or have failed
  std::atomic<bool> go{false};
  std::atomic<bool> stop{false};
  std::atomic<int> through{0};  // that have ended their last inference
};

struct Runner {
  absl::Status status;
  long long inferences = 0;  // between go and stop
};

// An interpreter with its delegate, or with that of all.
struct Instance {
  std::unique_ptr<Backend> own;
  std::unique_ptr<Interpreter> sharing;
  Interpreter& interpreter() { return own ? own->interpreter() : *sharing; }
};

absl::StatusOr<Instance> MakeInstance(const Race& race) {
  Instance instance;
  if (race.delegate != nullptr) {
    InterpreterOptions options;
    options.delegate = race.delegate;
    ASSIGN_OR_RETURN(instance.sharing,
                     Interpreter::Create(race.model, options));
    return instance;
  }
  BackendSpec spec;
  spec.kind = BackendSpec::Kind::kGles;
  spec.options = {{"startup", "direct"}};  // no baseline plan is timed
  ASSIGN_OR_RETURN(auto backend, Backend::Create(race.model, spec));
  ASSIGN_OR_RETURN(const auto facts, backend->Facts());
  if (facts.nodes_delegated == 0) {
    return absl::FailedPreconditionError("no node of the model is on the GPU");
  }
  instance.own = std::move(backend);
  return instance;
}

absl::StatusOr<Instance> MakeWarmInstance(const Race& race) {
  auto instance = MakeInstance(race);
  if (!instance.ok()) return instance;
  Interpreter& interpreter = instance->interpreter();
  RETURN_IF_ERROR(WriteRandomInputs(interpreter));
  for (int i = 0; i < BenchRuns().warmup_runs; ++i) {
    RETURN_IF_ERROR(interpreter.Invoke());
  }
  return instance;
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
  auto instance = MakeWarmInstance(race);
  runner.status = instance.status();
  ++race.ready;
  if (instance.ok()) {
    InvokeAgainAndAgain(race, instance->interpreter(), runner);
  }
  ++race.through;
}

void WaitFor(const std::atomic<int>& value, int count) {
  while (value < count) {
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

enum class Delegates { kOneEach, kOneForAll };

DelegatePtr WorkerDelegate() {
  TfLiteGlesDelegateOptions options = TfLiteGlesDelegateOptionsDefault();
  options.thread_mode = kTfLiteGlesThreadWorker;
  options.startup = kTfLiteGlesStartupDirect;
  return DelegatePtr(TfLiteGlesDelegateCreate(&options),
                     TfLiteGlesDelegateDelete);
}

// Inferences a second of `count` interpreters together. All are warm before the
// first one counts.
absl::StatusOr<double> PerSecond(const Model& model, int count,
                                 Delegates delegates) {
  DelegatePtr delegate(nullptr, TfLiteGlesDelegateDelete);
  if (delegates == Delegates::kOneForAll) delegate = WorkerDelegate();
  Race race{model, delegate.get()};
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
  ASSIGN_OR_RETURN(auto model, Model::FromFile(path));
  ASSIGN_OR_RETURN(const auto one, PerSecond(*model, 1, Delegates::kOneEach));
  for (auto _ : *state) state->SetIterationTime(1 / one);
  state->counters["per_s_1"] = one;
  const int max = FromEnvironment("GLES_BENCH_INTERPRETERS", 8);
  for (int count = 2; count <= max; count *= 2) {
    ASSIGN_OR_RETURN(const auto apart,
                     PerSecond(*model, count, Delegates::kOneEach));
    state->counters[absl::StrCat("gain_", count)] = apart / one;
    ASSIGN_OR_RETURN(const auto sharing,
                     PerSecond(*model, count, Delegates::kOneForAll));
    state->counters[absl::StrCat("shared_gain_", count)] = sharing / one;
  }
  ASSIGN_OR_RETURN(const auto again, PerSecond(*model, 1, Delegates::kOneEach));
  state->counters["per_s_1_again"] = again;
  return absl::OkStatus();
}

}  // namespace gles_delegate
