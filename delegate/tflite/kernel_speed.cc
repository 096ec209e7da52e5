// The half of GlesKernel that the option prefer_faster asks for.
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "delegate/cache/cached_text.h"
#include "delegate/partition/plan_partition.h"
#include "delegate/tflite/kernel.h"

namespace gles_delegate {

namespace {

const char* NameOf(egl::Waiting waiting) {
  switch (waiting) {
    case egl::Waiting::kPassive:
      return ", passive: ";
    case egl::Waiting::kActive:
      return ", active: ";
    case egl::Waiting::kAggressive:
      return ", aggressive: ";
  }
  return "";
}

}  // namespace

absl::Status GlesKernel::CheckMeasurable(TfLiteContext* context) const {
  for (TensorId id : graph_.inputs) {
    const Tensor& t = graph_.tensor(id);
    if (!t.is_variable) continue;
    return absl::FailedPreconditionError(
        absl::StrCat("trial runs would change the state ", t.ToString()));
  }
  for (const auto* list :
       {&setup_.partition.inputs, &setup_.partition.outputs}) {
    for (int id : *list) {
      const TfLiteTensor& t = context->tensors[id];
      if (t.allocation_type != kTfLiteDynamic) continue;
      return absl::FailedPreconditionError(
          absl::StrCat("tensor ", id, " is dynamic"));
    }
  }
  if (!setup_.objects->all().empty()) {
    return absl::FailedPreconditionError("GL objects are bound");
  }
  if (setup_.options.enable_op_profiling) {
    return absl::FailedPreconditionError(
        "enable_op_profiling slows the GPU's runs");
  }
  return CpuPartition(setup_.nodes.find, setup_.partition).Check(context);
}

absl::StatusOr<Speeds> GlesKernel::Measure(TfLiteContext* context) {
  if (auto s = PrepareOnGpu(context); !s.ok()) return s;
  const TrialMemory memory(context, setup_.partition);
  CpuPartition cpu(setup_.nodes.find, setup_.partition);
  auto speeds = CompareSpeeds([&] { return EvalOnGpu(context); },
                              [&] { return cpu.Run(context); });
  // Kernels may store data in the memory that `cpu` lent them.
  auto prepared = PropagateShapes(context, setup_.nodes.find, setup_.nodes.plan,
                                  &setup_.partition.nodes);
  if (!prepared.ok()) return prepared.status();
  if (!prepared->refused.ok()) return prepared->refused;
  return speeds;
}

void GlesKernel::CompareWithCpu(TfLiteContext* context) {
  SpeedReport& report = setup_.report->speed;
  report.chosen = "gpu";
  if (auto s = CheckMeasurable(context); !s.ok()) {
    report.source = absl::StrCat("not measured: ", s.message());
    return;
  }
  const auto planned = PlanPartition(graph_, setup_.profile, nullptr);
  if (!planned.ok()) {
    report.source = absl::StrCat("not measured: ", planned.status().message());
    return;
  }
  // Properties that affect both speeds and are not in other cache keys.
  const std::string about = absl::StrCat(
      "prefer_faster: ", context->recommended_num_threads, " threads, tuning ",
      setup_.options.tuning, NameOf(setup_.options.waiting),
      PlanToString(planned->graph, planned->dispatches));
  CachedText kept(
      setup_.options.cache,
      {setup_.gpu->context->device(), setup_.profile, graph_, about},
      kSpeedsTextBytes);
  std::optional<Speeds> speeds = SpeedsFromText(kept.text());
  report.source = "cached";
  if (!speeds.has_value()) {
    auto measured = Measure(context);
    if (!measured.ok()) {
      report.source =
          absl::StrCat("not measured: ", measured.status().message());
      return;
    }
    speeds = *measured;
    report.source = "measured";
    kept.Keep(SpeedsText(*speeds));
  }
  report.gpu_ms = speeds->gpu_ms;
  report.cpu_ms = speeds->cpu_ms;
  if (speeds->cpu_is_faster()) report.chosen = "cpu";
}

}  // namespace gles_delegate
