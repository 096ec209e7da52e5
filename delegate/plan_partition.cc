#include "delegate/plan_partition.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "delegate/executor.h"
#include "delegate/passes/fuse_depthwise.h"
#include "delegate/passes/fuse_gates.h"
#include "delegate/passes/passes.h"
#include "delegate/program_cache.h"

namespace gles_delegate {
namespace {

void Lap(StageTimer* timer, const char* stage) {
  if (timer != nullptr) timer->Lap(stage);
}

// Room for each tensor, as the executor takes and gives it: at most four bytes
// an element.
std::vector<std::vector<uint8_t>> Zeros(const Graph& graph,
                                        const std::vector<TensorId>& ids) {
  std::vector<std::vector<uint8_t>> values;
  for (TensorId id : ids) {
    const Tensor& tensor = graph.tensor(id);
    const size_t size = tensor.holds_codes ? 1 : sizeof(float);
    values.emplace_back(tensor.shape.elements() * size);
  }
  return values;
}

}  // namespace

absl::StatusOr<PlannedPartition> PlanPartition(const Graph& graph,
                                               const DeviceProfile& profile,
                                               StageTimer* timer) {
  PlannedPartition planned{graph, {}};
  if (auto s =
          RunPasses(&planned.graph, MaxBoundTensors(profile), profile.half);
      !s.ok()) {
    return s;
  }
  FuseDepthwise(&planned.graph, profile);
  FuseGates(&planned.graph, profile);
  Lap(timer, "passes");
  auto dispatches = PlanGraph(&planned.graph, profile);
  if (!dispatches.ok()) {
    planned.graph = graph;
    dispatches = PlanGraph(&planned.graph, profile);
    if (!dispatches.ok()) return dispatches.status();
  }
  planned.dispatches = *std::move(dispatches);
  Lap(timer, "plan");
  return planned;
}

absl::StatusOr<double> MeasureInference(const egl::Context& context,
                                        const Graph& graph,
                                        const DeviceProfile& profile) {
  using Clock = std::chrono::steady_clock;
  using Ms = std::chrono::duration<double, std::milli>;
  constexpr int kWarmUp = 2, kMost = 12;
  constexpr double kEnoughMs = 250;
  auto planned = PlanPartition(graph, profile, nullptr);
  if (!planned.ok()) return planned.status();
  ProgramCache programs;
  auto executor = Executor::Create(context, &programs, planned->graph,
                                   std::move(planned->dispatches), profile);
  if (!executor.ok()) return executor.status();
  const auto in = Zeros(planned->graph, planned->graph.inputs);
  auto out = Zeros(planned->graph, planned->graph.outputs);
  const std::vector<absl::Span<const uint8_t>> inputs(in.begin(), in.end());
  std::vector<absl::Span<uint8_t>> outputs;
  for (auto& values : out) outputs.push_back(absl::MakeSpan(values));
  double best = std::numeric_limits<double>::infinity();
  double total = 0;
  for (int i = 0; i < kMost && (i <= kWarmUp || total < kEnoughMs); ++i) {
    const auto start = Clock::now();
    if (auto s = (*executor)->Invoke(inputs, outputs); !s.ok()) return s;
    const double ms = Ms(Clock::now() - start).count();
    if (i < kWarmUp) continue;
    best = std::min(best, ms);
    total += ms;
  }
  return best;
}

}  // namespace gles_delegate
