// The dispatches of an executor: uploads, the plan's own, readbacks.
#ifndef GLES_DELEGATE_DELEGATE_RUNTIME_SCHEDULE_H_
#define GLES_DELEGATE_DELEGATE_RUNTIME_SCHEDULE_H_

#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"
#include "delegate/plan/dispatch.h"
#include "delegate/runtime/command.h"
#include "delegate/runtime/host_transfer.h"

namespace gles_delegate {

struct Schedule {
  std::vector<Dispatch> dispatches;
  std::vector<Piece> pieces;  // by dispatch
  size_t uploads = 0;         // dispatches, at the beginning
  size_t readbacks = 0;       // dispatches, at the end
};

// How the inputs and outputs of a plan travel, and its dispatches with theirs
// around them. `can_map`: the driver has persistently mapped buffers
// (egl::Buffer::CanBeMapped()).
struct TransferPlan {
  std::vector<HostTransfer> inputs;  // of the graph
  std::vector<HostTransfer> outputs;
  Schedule schedule;
};
TransferPlan PlanTransfers(const Graph& graph, std::vector<Dispatch> plan,
                           const DeviceProfile& profile, bool can_map,
                           const BoundTransfers& bound = {});

// `plan` between the dispatches that upload `inputs` and read `outputs` back:
// dispatches like any other, one for each piece. An input or output that the
// host packs or unpacks by itself has no dispatch.
Schedule ScheduleTransfers(const Graph& graph, std::vector<Dispatch> plan,
                           absl::Span<const HostTransfer> inputs,
                           absl::Span<const HostTransfer> outputs,
                           const DeviceProfile& profile);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_RUNTIME_SCHEDULE_H_
