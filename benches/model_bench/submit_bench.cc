#include "benches/model_bench/submit_bench.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "benches/common/bench_device.h"
#include "benches/common/read_graph.h"
#include "benches/model_bench/samples.h"
#include "delegate/device/device_profile.h"
#include "delegate/partition/plan_partition.h"
#include "delegate/passes/passes.h"
#include "delegate/runtime/executor.h"
#include "delegate/runtime/host_transfer.h"
#include "tools/common/tflite_host.h"

namespace gles_delegate {
namespace {

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
  std::vector<double> submit;
  std::vector<double> submit_wall;
  std::vector<double> wall;
  std::vector<double> cpu;
  RETURN_IF_ERROR(Repeat([&](bool counts) {
    const double cpu_start = ClockUs(CLOCK_PROCESS_CPUTIME_ID);
    const double thread_start = ClockUs(CLOCK_THREAD_CPUTIME_ID);
    const double start = ClockUs(CLOCK_MONOTONIC);
    RETURN_IF_ERROR(runner.executor->Submit(runner.inputs));
    const double submitted = ClockUs(CLOCK_MONOTONIC);
    const double thread_end = ClockUs(CLOCK_THREAD_CPUTIME_ID);
    RETURN_IF_ERROR(runner.executor->Collect(runner.outputs));
    if (!counts) return absl::OkStatus();
    wall.push_back(ClockUs(CLOCK_MONOTONIC) - start);
    cpu.push_back(ClockUs(CLOCK_PROCESS_CPUTIME_ID) - cpu_start);
    submit.push_back(thread_end - thread_start);
    submit_wall.push_back(submitted - start);
    return absl::OkStatus();
  }));
  const double submit_us = Median(submit);
  for (auto _ : *state) state->SetIterationTime(submit_us * 1e-6);
  state->counters["submit_us"] = submit_us;
  state->counters["submit_wall_us"] = Median(submit_wall);
  state->counters["wall_us"] = Median(wall);
  state->counters["cpu_us"] = Median(cpu);
  state->counters["dispatches"] = runner.executor->stats().dispatches;
  return absl::OkStatus();
}

// The cost of waiting for the outputs and copying them, in elapsed time and in
// the waiting thread's processor time, by each way to wait.
absl::Status MeasureWaits(Runner& runner, benchmark::State* state) {
  const struct {
    egl::Waiting how;
    const char* name;
  } ways[] = {{egl::Waiting::kPassive, "passive"},
              {egl::Waiting::kActive, "active"},
              {egl::Waiting::kAggressive, "aggressive"}};
  for (const auto& way : ways) {
    runner.executor->WaitBy(way.how);
    std::vector<double> wall;
    std::vector<double> cpu;
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
    state->counters[absl::StrCat(way.name, "_wait_us")] = Median(wall);
    state->counters[absl::StrCat(way.name, "_wait_cpu_us")] = Median(cpu);
  }
  runner.executor->WaitBy(egl::Waiting::kPassive);
  return absl::OkStatus();
}

// The device's time for one inference, by kind of command.
struct Parts {
  double upload = 0;
  double gpu = 0;
  double readback = 0;
};

Parts PartsOfLast(const Executor& executor) {
  Parts parts;
  for (const auto& entry : executor.profile()) {
    double& part = entry.shader == "upload"     ? parts.upload
                   : entry.shader == "readback" ? parts.readback
                                                : parts.gpu;
    part += entry.runs.LastUs();
  }
  return parts;
}

absl::Status MeasureParts(Runner& runner, benchmark::State* state) {
  // llvmpipe's timer queries do not see its threads.
  const bool timers = !BenchContext()->device().software;
  RETURN_IF_ERROR(runner.executor->EnableProfiling(timers));
  std::vector<double> upload;
  std::vector<double> gpu;
  std::vector<double> readback;
  absl::Status status = Repeat([&](bool counts) {
    absl::Status s = runner.executor->Invoke(runner.inputs, runner.outputs);
    if (counts) {
      const Parts parts = PartsOfLast(*runner.executor);
      upload.push_back(parts.upload);
      gpu.push_back(parts.gpu);
      readback.push_back(parts.readback);
    }
    return s;
  });
  state->counters["upload_us"] = Median(upload);
  state->counters["gpu_us"] = Median(gpu);
  state->counters["readback_us"] = Median(readback);
  return status;
}

}  // namespace

absl::Status MeasureSubmission(const std::string& path,
                               benchmark::State* state) {
  ASSIGN_OR_RETURN(auto model, Model::FromFile(path));
  Runner runner;
  RETURN_IF_ERROR(Make(*model, &runner));
  RETURN_IF_ERROR(MeasureSubmit(runner, state));
  RETURN_IF_ERROR(MeasureWaits(runner, state));
  return MeasureParts(runner, state);
}

}  // namespace gles_delegate
