// Assigns tensors with disjoint lifetimes to shared textures and buffers.
#ifndef GLES_DELEGATE_DELEGATE_PLAN_MEMORY_PLAN_H_
#define GLES_DELEGATE_DELEGATE_PLAN_MEMORY_PLAN_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

struct MemoryPlan {
  std::vector<Slot> slots;
  std::vector<int> slot_of;  // by tensor; -1: not a run-time tensor of the plan
  int64_t bytes_shared = 0;  // what the slots take, as allocated
  int64_t bytes_unshared = 0;  // what one slot per tensor would take
};

// The tensor whose memory contains tensor `id` of `graph`: `id` itself if it is
// not a view.
TensorId MemoryOf(const Graph& graph, TensorId id);

// The size to allocate for the slot: equal, or slightly larger if the device
// needs sizes that are not powers of two (DeviceFaults::compiles_by_sizes). The
// excess is not accessed.
Slot Allocated(const Slot& slot, const DeviceProfile& profile);

// Assigns a slot to each tensor that the dispatches access. Tensors with
// overlapping lifetimes have different slots. `pinned_from_start` (graph
// inputs) live from before the first dispatch, `pinned_to_end` (graph outputs)
// until after the last. Greedy by size: each tensor, largest first, takes the
// free slot that needs to grow least, or a new slot if that is cheaper.
MemoryPlan PlanMemory(const Graph& graph, absl::Span<const Dispatch> dispatches,
                      absl::Span<const TensorId> pinned_from_start,
                      absl::Span<const TensorId> pinned_to_end,
                      const DeviceProfile& profile);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PLAN_MEMORY_PLAN_H_
