#include "delegate/runtime/memory_needs.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/plan/dispatch_shader.h"
#include "delegate/runtime/command_builder.h"
#include "delegate/runtime/constant_memory.h"
#include "delegate/runtime/gpu_memory.h"
#include "delegate/runtime/schedule.h"

namespace gles_delegate {

std::string GpuMemoryUse::ToString() const {
  return absl::StrCat(total(), " bytes (tensors ", tensors, ", constants ",
                      constants, ", transfers ", transfers, ", parameters ",
                      parameters, ")");
}

absl::StatusOr<GpuMemoryUse> MemoryNeeds(const egl::DeviceInfo& device,
                                         const Graph& graph,
                                         std::vector<Dispatch> dispatches,
                                         const DeviceProfile& profile) {
  const TransferPlan transfers =
      PlanTransfers(graph, std::move(dispatches), profile,
                    /*can_map=*/device.Has("GL_EXT_buffer_storage"));
  const Schedule& schedule = transfers.schedule;
  const std::vector<Dispatch>& all = schedule.dispatches;
  GpuMemoryUse use;
  use.tensors = PlanTensorMemory(graph, schedule, transfers.outputs, profile)
                    .bytes_shared;
  ASSIGN_OR_RETURN(auto constants, ConstantBytes(graph, all, profile));
  use.constants = constants;
  use.transfers = GpuBytes(transfers.inputs) + GpuBytes(transfers.outputs);
  for (const Dispatch& d : all) {
    use.parameters +=
        static_cast<int64_t>(AlignedParamsBytes(ParamsOf(graph, d), device));
  }
  return use;
}

}  // namespace gles_delegate
