#include "delegate/session/memory_reservation.h"

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/partition/plan_partition.h"
#include "delegate/runtime/memory_needs.h"

namespace gles_delegate {

absl::Status MemoryReservation::Reserve(const Graph& graph,
                                        const DeviceProfile& profile,
                                        int64_t limit) {
  Release();
  if (limit == 0) return absl::OkStatus();
  ASSIGN_OR_RETURN(auto planned, PlanPartition(graph, profile, nullptr));
  ASSIGN_OR_RETURN(const auto needs,
                   MemoryNeeds(gpu_->context->device(), planned.graph,
                               std::move(planned.dispatches), profile));
  const int64_t others = gpu_->reserved_bytes;
  if (others + needs.total() > limit) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "it needs ", needs.ToString(), " of GPU memory, with the ", others,
        " bytes of the delegate's other partitions more than "
        "memory_limit_bytes=",
        limit));
  }
  bytes_ = needs.total();
  gpu_->reserved_bytes += bytes_;
  return absl::OkStatus();
}

void MemoryReservation::Release() {
  gpu_->reserved_bytes -= bytes_;
  bytes_ = 0;
}

}  // namespace gles_delegate
