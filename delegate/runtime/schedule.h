// The order of an executor's dispatches: uploads, the plan, readbacks.
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
  std::vector<Dispatch> dispatches;  // uploads, the plan's own, readbacks
  std::vector<Piece> pieces;         // by dispatch
  size_t uploads = 0;                // dispatches, at the beginning
  size_t readbacks = 0;              // dispatches, at the end
};

// The transfers of a plan's inputs and outputs, and the complete schedule.
// `can_map`: the driver has persistently mapped buffers
// (egl::Buffer::CanBeMapped()).
struct TransferPlan {
  std::vector<HostTransfer> inputs;  // of the graph
  std::vector<HostTransfer> outputs;
  std::vector<BoundCache> caches;  // of kBoundMemory
  Schedule schedule;
};
TransferPlan PlanTransfers(const Graph& graph, std::vector<Dispatch> plan,
                           const DeviceProfile& profile, bool can_map,
                           const BoundTransfers& bound = {});

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_RUNTIME_SCHEDULE_H_
