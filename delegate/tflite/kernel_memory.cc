// The part of GlesKernel that the option memory_limit_bytes asks for.
#include <utility>

#include "absl/strings/str_cat.h"
#include "delegate/partition/plan_partition.h"
#include "delegate/runtime/memory_needs.h"
#include "delegate/tflite/kernel.h"

namespace gles_delegate {

absl::Status GlesKernel::ReserveMemory() {
  ReleaseMemory();
  const int64_t limit = setup_.options.memory_limit_bytes;
  if (limit == 0) return absl::OkStatus();
  auto planned = PlanPartition(graph_, setup_.profile, nullptr);
  if (!planned.ok()) return planned.status();
  const auto needs =
      MemoryNeeds(setup_.gpu->context->device(), planned->graph,
                  std::move(planned->dispatches), setup_.profile);
  if (!needs.ok()) return needs.status();
  const int64_t others = setup_.gpu->reserved_bytes;
  if (others + needs->total() > limit) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "it needs ", needs->ToString(), " of GPU memory, with the ", others,
        " bytes of the delegate's other partitions more than "
        "memory_limit_bytes=",
        limit));
  }
  reserved_bytes_ = needs->total();
  setup_.gpu->reserved_bytes += reserved_bytes_;
  return absl::OkStatus();
}

absl::Status GlesKernel::ReserveMemoryAgain(TfLiteContext* context) {
  if (on_cpu_ != nullptr) return absl::OkStatus();
  const absl::Status reserved = ReserveMemory();
  if (!absl::IsResourceExhausted(reserved)) return reserved;
  return UseCpu(
      context,
      absl::StrCat("the partition of ", setup_.partition.nodes.size(),
                   " nodes cannot run on the GPU at the shapes that the inputs "
                   "were resized to: ",
                   reserved.message()));
}

void GlesKernel::ReleaseMemory() {
  setup_.gpu->reserved_bytes -= reserved_bytes_;
  reserved_bytes_ = 0;
}

}  // namespace gles_delegate
