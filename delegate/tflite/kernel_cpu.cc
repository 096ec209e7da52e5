// The part of GlesKernel that runs its nodes on the CPU after all.
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "delegate/session/state_mark.h"
#include "delegate/tflite/kernel.h"
#include "delegate/tflite/messages.h"
#include "delegate/tflite/read_tensor.h"

namespace gles_delegate {

absl::Status GlesKernel::MoveToCpu(TfLiteContext* context,
                                   const CheckedNode& refused) {
  const std::string why = absl::StrCat(
      "the partition of ", setup_.partition.nodes.size(),
      " nodes cannot run on the GPU at the shapes that the inputs were "
      "resized to: ",
      refused.op, " (node ", refused.index, "): ", refused.support.message(),
      " [", refused.tensors, "]");
  return UseCpu(context, why);
}

absl::Status GlesKernel::FallBack(TfLiteContext* context,
                                  const absl::Status& prepared) {
  if (prepared.ok() || !setup_.options.fallback_to_cpu || !cpu_takes_shapes_) {
    return prepared;
  }
  return UseCpu(context,
                absl::StrCat("TfLiteGlesDelegate: the partition of ",
                             setup_.partition.nodes.size(),
                             " nodes cannot be built: ", prepared.message()));
}

absl::Status GlesKernel::UseCpu(TfLiteContext* context,
                                const std::string& why) {
  auto cpu =
      std::make_unique<CpuPartition>(setup_.nodes.find, setup_.partition);
  if (auto s = cpu->Check(context); !s.ok()) {
    return absl::FailedPreconditionError(absl::StrCat(why, "; ", s.message()));
  }
  if (setup_.options.verbosity >= 1) {
    Warn(context, absl::StrCat(why, "; it runs on the CPU"));
  }
  on_cpu_ = std::move(cpu);
  setup_.report->on_cpu = why;
  read_shapes_ = BorderShapes(*context);
  DropExecutor();
  ReleaseMemory();
  std::string& background = setup_.report->background.state;
  if (background == "waiting") background = "stopped";
  return absl::OkStatus();
}

absl::Status GlesKernel::EvalOnCpu(TfLiteContext* context) {
  for (int id : setup_.partition.inputs) {
    TfLiteTensor& t = context->tensors[id];
    // The GPU's state is lost with its shapes.
    if (t.is_variable && IsStateOnGpu(MemoryOf(t)))
      std::memset(t.data.raw, 0, t.bytes);
  }
  return on_cpu_->Run(context, &setup_.nodes.shapes.values);
}

}  // namespace gles_delegate
