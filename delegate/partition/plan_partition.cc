#include "delegate/partition/plan_partition.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "delegate/passes/passes.h"
#include "delegate/plan/share_programs.h"
#include "delegate/runtime/executor.h"
#include "delegate/runtime/program_cache.h"

namespace gles_delegate {
namespace {

void Lap(StageTimer* timer, const char* stage) {
  if (timer != nullptr) timer->Lap(stage);
}

// Of a tensor, as the executor takes and gives it.
size_t HostBytesOf(const Tensor& tensor) {
  const size_t size = tensor.holds_quantized ? 1 : sizeof(float);
  return static_cast<size_t>(tensor.shape.elements()) * size;
}

bool IsFloat(const Tensor& tensor) {
  return !tensor.holds_quantized && tensor.type != DataType::kInt32 &&
         tensor.type != DataType::kBool;
}

std::vector<uint8_t> RandomValues(const Tensor& tensor, std::mt19937* random) {
  std::vector<uint8_t> bytes(HostBytesOf(tensor));
  if (tensor.holds_quantized) {
    for (uint8_t& code : bytes) code = static_cast<uint8_t>((*random)());
  } else if (IsFloat(tensor)) {
    std::normal_distribution<float> normal;
    for (size_t i = 0; i < bytes.size(); i += sizeof(float)) {
      const float value = normal(*random);
      std::memcpy(&bytes[i], &value, sizeof(value));
    }
  }
  return bytes;
}

std::vector<float> AsFloats(const std::vector<uint8_t>& bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return values;
}

}  // namespace

absl::StatusOr<PlannedPartition> PlanPartition(const Graph& graph,
                                               const DeviceProfile& profile,
                                               StageTimer* timer,
                                               PlanDump* dump) {
  PlanDump nowhere;
  if (dump == nullptr) dump = &nowhere;
  PlannedPartition planned{graph, {}, {}, absl::OkStatus()};
  dump->AddGraph("read", planned.graph);
  for (const PassStage stage : {PassStage::kFold, PassStage::kFuse}) {
    const absl::Status passed =
        RunPasses(stage, {profile}, &planned.graph,
                  [dump](absl::string_view pass, const Graph& g) {
                    dump->AddGraph(pass, g);
                  });
    if (!passed.ok()) return passed;
    if (stage == PassStage::kFold) planned.unfused = planned.graph;
  }
  Lap(timer, "passes");
  auto dispatches = PlanGraph(&planned.graph, profile);
  if (!dispatches.ok()) {
    planned.passes_dropped = dispatches.status();
    planned.graph = planned.unfused = graph;
    dump->AddGraph("passes_dropped", planned.graph);
    dispatches = PlanGraph(&planned.graph, profile);
    if (!dispatches.ok()) return dispatches.status();
  }
  planned.dispatches = *std::move(dispatches);
  SharePrograms(planned.graph, profile, &planned.dispatches);
  dump->AddPlan(planned.graph, planned.dispatches);
  Lap(timer, "plan");
  return planned;
}

PartitionTrials::PartitionTrials(const egl::Context& context,
                                 const Graph& graph)
    : context_(context), graph_(graph) {
  std::mt19937 random(1);
  for (TensorId id : graph.inputs) {
    inputs_.push_back(RandomValues(graph.tensor(id), &random));
  }
}

absl::StatusOr<double> PartitionTrials::Measure(const DeviceProfile& profile) {
  using Clock = std::chrono::steady_clock;
  using Ms = std::chrono::duration<double, std::milli>;
  constexpr int kWarmUp = 2, kMax = 12;
  constexpr double kEnoughMs = 250;
  auto planned = PlanPartition(graph_, profile, nullptr);
  if (!planned.ok()) return planned.status();
  ProgramCache programs;
  auto executor = Executor::Create(context_, &programs, planned->graph,
                                   std::move(planned->dispatches), profile);
  if (!executor.ok()) return executor.status();
  const std::vector<absl::Span<const uint8_t>> inputs(inputs_.begin(),
                                                      inputs_.end());
  Values out;
  for (TensorId id : planned->graph.outputs) {
    out.emplace_back(HostBytesOf(planned->graph.tensor(id)));
  }
  std::vector<absl::Span<uint8_t>> outputs;
  for (auto& values : out) outputs.push_back(absl::MakeSpan(values));
  double best = std::numeric_limits<double>::infinity();
  double total = 0;
  for (int i = 0; i < kMax && (i <= kWarmUp || total < kEnoughMs); ++i) {
    const auto start = Clock::now();
    if (auto s = (*executor)->Invoke(inputs, outputs); !s.ok()) return s;
    const double ms = Ms(Clock::now() - start).count();
    if (i == 0 && !reference_.empty()) {
      const auto s = Compare(planned->graph, out, profile.options.half);
      if (!s.ok()) return s;
    }
    if (i < kWarmUp) continue;
    best = std::min(best, ms);
    total += ms;
  }
  if (reference_.empty()) reference_ = std::move(out);
  return best;
}

absl::Status PartitionTrials::Compare(const Graph& graph, const Values& outputs,
                                      bool half) const {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Tensor& tensor = graph.tensor(graph.outputs[i]);
    if (outputs[i] == reference_[i]) continue;
    const auto differs = [&](absl::string_view how) {
      return absl::DataLossError(
          absl::StrCat("the output ", tensor.ToString(),
                       " differs from the reference plan's: ", how));
    };
    if (!IsFloat(tensor))
      return differs("quantized values and integers must be equal");
    const std::vector<float> want = AsFloats(reference_[i]);
    const std::vector<float> got = AsFloats(outputs[i]);
    float largest = 0;
    for (float v : want) {
      if (std::isfinite(v)) largest = std::max(largest, std::abs(v));
    }
    const float step =
        tensor.quantization.empty() ? 0 : tensor.quantization.scale[0];
    const float bound = largest * (half ? kHalfBound : kFloatBound) + step;
    for (size_t k = 0; k < want.size(); ++k) {
      if (want[k] == got[k] || (std::isnan(want[k]) && std::isnan(got[k])) ||
          std::abs(want[k] - got[k]) <= bound) {
        continue;
      }
      return differs(absl::StrCat("element ", k, " is ", got[k], ", not ",
                                  want[k], " +- ", bound));
    }
  }
  return absl::OkStatus();
}

}  // namespace gles_delegate
