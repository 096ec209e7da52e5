// The processor's time for an inference of a whole model (submit/<name>). The
// Measure functions say what each counter is. benchmark_model, cold_start.py
// and throughput.py measure the rest.
//
//   GLES_DELEGATE_SHARED_DIR=../shared model_bench    the folder with models/
//   GLES_BENCH_MIN_SECS=2 model_bench                 longer measurements
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "benches/common/bench_device.h"
#include "benches/common/read_graph.h"
#include "benchmark/benchmark.h"
#include "delegate/device/device_profile.h"
#include "delegate/partition/plan_partition.h"
#include "delegate/passes/passes.h"
#include "delegate/runtime/executor.h"
#include "delegate/runtime/host_transfer.h"
#include "tools/common/tflite_host.h"
#include "tools/runner/latency.h"

namespace gles_delegate {
namespace {

// Three warm-up runs, then ten at least and GLES_BENCH_MIN_SECS (half a second)
// at least; the first error ends it.
absl::Status Repeat(absl::FunctionRef<absl::Status(bool counts)> run) {
  double secs = 0.5;
  const char* text = std::getenv("GLES_BENCH_MIN_SECS");
  if (text != nullptr && !absl::SimpleAtod(text, &secs)) secs = 0.5;
  for (int i = 0; i < 3; ++i) RETURN_IF_ERROR(run(false));
  const double end = NowMs() + 1000 * secs;
  for (int i = 0; i < 10 || NowMs() < end; ++i) RETURN_IF_ERROR(run(true));
  return absl::OkStatus();
}

double Median(std::vector<double> samples) {
  return Summarize(std::move(samples)).median;
}

// Samples by the names of their counters.
using Samples = std::map<std::string, std::vector<double>>;

// Each counter is the median.
void Count(const Samples& samples, benchmark::State* state) {
  for (auto& [name, values] : samples) {
    state->counters[name] = Median(values);
  }
}

// The cost of an inference on the processor: its dispatches recorded and handed
// to the driver.

// An executor with host memory for its inputs and outputs.
struct Runner {
  ProgramCache programs;
  std::unique_ptr<Executor> executor;
  std::vector<std::vector<uint8_t>> memory;
  std::vector<absl::Span<const uint8_t>> inputs;
  std::vector<absl::Span<uint8_t>> outputs;
};

absl::Status Make(const Model& model, Runner* runner) {
  egl::Context& context = *BenchContext();
  const DeviceProfile profile = ProfileFor(context.device(), {});
  ASSIGN_OR_RETURN(auto graph, ReadGraph(model, profile));
  RETURN_IF_ERROR(RunPasses(PassStage::kRead, {profile}, &graph,
                            [](absl::string_view, const Graph&) {}));
  StageTimes stages;
  StageTimer timer(&stages);
  ASSIGN_OR_RETURN(auto planned, PlanPartition(graph, profile, &timer));
  ASSIGN_OR_RETURN(runner->executor,
                   Executor::Create(context, &runner->programs, planned.graph,
                                    std::move(planned.dispatches), profile));
  const auto room = [&](TensorId id) {
    const Tensor& tensor = planned.graph.tensor(id);
    runner->memory.emplace_back(tensor.shape.elements() *
                                HostElementBytes(tensor));
    return absl::MakeSpan(runner->memory.back());
  };
  for (TensorId id : planned.graph.inputs) runner->inputs.push_back(room(id));
  for (TensorId id : planned.graph.outputs) {
    runner->outputs.push_back(room(id));
  }
  return absl::OkStatus();
}

absl::Status MeasureSubmit(Runner& runner, benchmark::State* state) {
  Samples samples;
  RETURN_IF_ERROR(Repeat([&](bool counts) {
    const double cpu_start = ClockUs(CLOCK_PROCESS_CPUTIME_ID);
    const double thread_start = ClockUs(CLOCK_THREAD_CPUTIME_ID);
    const double start = ClockUs(CLOCK_MONOTONIC);
    RETURN_IF_ERROR(runner.executor->Submit(runner.inputs));
    const double submitted = ClockUs(CLOCK_MONOTONIC);
    const double thread_end = ClockUs(CLOCK_THREAD_CPUTIME_ID);
    RETURN_IF_ERROR(runner.executor->Collect(runner.outputs));
    if (!counts) return absl::OkStatus();
    samples["wall_us"].push_back(ClockUs(CLOCK_MONOTONIC) - start);
    samples["cpu_us"].push_back(ClockUs(CLOCK_PROCESS_CPUTIME_ID) - cpu_start);
    samples["submit_us"].push_back(thread_end - thread_start);
    samples["submit_wall_us"].push_back(submitted - start);
    return absl::OkStatus();
  }));
  const double submit_us = Median(samples["submit_us"]);
  for (auto _ : *state) state->SetIterationTime(submit_us * 1e-6);
  Count(samples, state);
  state->counters["dispatches"] = runner.executor->stats().dispatches;
  return absl::OkStatus();
}

// The cost of waiting for the outputs and copying them, in elapsed time and in
// the waiting thread's processor time, by each way to wait.
absl::Status MeasureWaits(Runner& runner, benchmark::State* state) {
  Samples samples;
  for (const auto& [how, name] : {std::pair(egl::Waiting::kPassive, "passive"),
                                  {egl::Waiting::kActive, "active"},
                                  {egl::Waiting::kAggressive, "aggressive"}}) {
    runner.executor->WaitBy(how);
    auto& wall = samples[absl::StrCat(name, "_wait_us")];
    auto& cpu = samples[absl::StrCat(name, "_wait_cpu_us")];
    RETURN_IF_ERROR(Repeat([&](bool counts) {
      RETURN_IF_ERROR(runner.executor->Submit(runner.inputs));
      const double cpu_start = ClockUs(CLOCK_THREAD_CPUTIME_ID);
      const double start = ClockUs(CLOCK_MONOTONIC);
      RETURN_IF_ERROR(runner.executor->Collect(runner.outputs));
      if (!counts) return absl::OkStatus();
      wall.push_back(ClockUs(CLOCK_MONOTONIC) - start);
      cpu.push_back(ClockUs(CLOCK_THREAD_CPUTIME_ID) - cpu_start);
      return absl::OkStatus();
    }));
  }
  Count(samples, state);
  runner.executor->WaitBy(egl::Waiting::kPassive);
  return absl::OkStatus();
}

// The device's time for one inference, by kind of command.
absl::Status MeasureParts(Runner& runner, benchmark::State* state) {
  // llvmpipe's timer queries do not see its threads.
  const bool timers = !BenchContext()->device().software;
  RETURN_IF_ERROR(runner.executor->EnableProfiling(timers));
  Samples samples;
  absl::Status status = Repeat([&](bool counts) {
    absl::Status s = runner.executor->Invoke(runner.inputs, runner.outputs);
    if (!counts) return s;
    for (const char* part : {"upload_us", "gpu_us", "readback_us"}) {
      samples[part].push_back(0);
    }
    for (const auto& entry : runner.executor->profile()) {
      samples[entry.shader == "upload"     ? "upload_us"
              : entry.shader == "readback" ? "readback_us"
                                           : "gpu_us"]
          .back() += entry.runs.LastUs();
    }
    return s;
  });
  Count(samples, state);
  return status;
}

// Time, and submit_us: processor time of the submitting thread, with the copy
// of the inputs to memory that the device sees. submit_wall_us: how long it was
// busy with that or kept waiting by the driver (llvmpipe computes meanwhile);
// wall_us: until the outputs are there; cpu_us: processor time of the whole
// inference, all threads; passive_wait_us and passive_wait_cpu_us: the wait for
// the outputs and their copy, by the clock and in processor time of the thread
// that waits; active_ and aggressive_ in the same way; upload_us, gpu_us,
// readback_us: what the device does, the three parts by themselves; dispatches.
// Of the model's largest partition.
absl::Status MeasureSubmission(const std::string& path,
                               benchmark::State* state) {
  ASSIGN_OR_RETURN(auto model, Model::FromFile(path));
  return BenchContext()->Run([&]() -> absl::Status {
    Runner runner;
    RETURN_IF_ERROR(Make(*model, &runner));
    RETURN_IF_ERROR(MeasureSubmit(runner, state));
    RETURN_IF_ERROR(MeasureWaits(runner, state));
    return MeasureParts(runner, state);
  });
}

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
  // One iteration: each measurement repeats what it needs to, since medians are
  // wanted and setting up is dear.
  for (const fs::path& model : models) {
    benchmark::RegisterBenchmark(
        ("submit/" + model.stem().string()).c_str(),
        [path = model.string()](benchmark::State& state) {
          const absl::Status status = MeasureSubmission(path, &state);
          if (!status.ok()) state.SkipWithError(status.ToString().c_str());
        })
        ->Iterations(1)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  }
  return true;
}

}  // namespace
}  // namespace gles_delegate

int main(int argc, char** argv) {
  if (!gles_delegate::RegisterAll()) return 0;
  return gles_delegate::BenchMain(argc, argv);
}
