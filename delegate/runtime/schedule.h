// The dispatches of an executor: uploads, the plan's own, readbacks.
#ifndef GLES_DELEGATE_DELEGATE_RUNTIME_SCHEDULE_H_
#define GLES_DELEGATE_DELEGATE_RUNTIME_SCHEDULE_H_

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "delegate/device/device_profile.h"
#include "delegate/graph/graph.h"
#include "delegate/plan/dispatch.h"
#include "delegate/runtime/batch_parts.h"
#include "delegate/runtime/command.h"
#include "delegate/runtime/host_transfer.h"

namespace gles_delegate {

// One run of a dispatch: of the whole, or of a part of the batch.
struct Step {
  size_t dispatch = 0;
  int part = 0;
  int parts = 1;
};

struct Schedule {
  std::vector<Dispatch> dispatches;  // uploads, the plan's own, readbacks
  std::vector<Piece> pieces;         // by dispatch
  size_t upload_dispatches = 0;
  // What runs, in order. Uploads of later parts of a batch stand among what is
  // the plan's own (batch_parts.h), each before a step which it may run beside.
  std::vector<Step> steps;
  size_t uploads = 0;    // steps, at the beginning
  size_t readbacks = 0;  // steps and dispatches, at the end
  BatchParts parts;
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
// host packs or unpacks by itself has no dispatch. `parts`: of the plan.
Schedule ScheduleTransfers(const Graph& graph, std::vector<Dispatch> plan,
                           absl::Span<const HostTransfer> inputs,
                           absl::Span<const HostTransfer> outputs,
                           const BatchParts& parts,
                           const DeviceProfile& profile);

// The dispatches whose tensors all have memory at the same time: [begin, end).
std::pair<size_t, size_t> TogetherIn(const Schedule& schedule);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_RUNTIME_SCHEDULE_H_
