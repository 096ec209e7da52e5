// Which tensors share a texture or buffer: those whose lifetimes do not meet.
#ifndef GLES_DELEGATE_DELEGATE_PLAN_MEMORY_PLAN_H_
#define GLES_DELEGATE_DELEGATE_PLAN_MEMORY_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

// A texture or buffer large enough for every tensor that takes its turn in it.
// A texture's tensors need not have its size: shaders take sizes from Params.
struct Slot {
  gl_shaders::Storage storage = gl_shaders::Storage::kTextureArray;
  int width = 0;   // texels; buffers: the count of texels
  int height = 0;  // 1 for buffers
  int layers = 0;  // 1 for 2-D textures and buffers
  gl_shaders::Format format = gl_shaders::Format::kRgba32f;
  int64_t texels() const { return int64_t{width} * height * layers; }
  int64_t bytes() const { return texels() * BytesPerTexel(format); }
};

struct MemoryPlan {
  std::vector<Slot> slots;
  std::vector<int> slot_of;  // by tensor; -1: not a run-time tensor of the plan
  int64_t bytes_shared = 0;  // what the slots take, as allocated
  int64_t bytes_unshared = 0;  // what one slot per tensor would take
};

// The slot that a tensor of this shape needs for itself.
Slot SlotFor(const Shape& shape, gl_shaders::Storage storage,
             gl_shaders::Format format);

// What GL is asked for, to hold the slot: a slot of its size, or a little
// larger where the device wants no powers of two (DeviceChoices::uneven_sizes).
// What is added is neither read nor written.
Slot Allocated(const Slot& slot, const DeviceProfile& profile);

// Gives each tensor that the dispatches read or write a slot. Tensors whose
// lifetimes meet have different slots. `pinned_from_start` (the graph's inputs)
// live from before the first dispatch, `pinned_to_end` (its outputs) to after
// the last. Greedy by size: each tensor, largest first, goes into the free slot
// that must grow least, or into a new slot where that is cheaper. `together`:
// [begin, end) of dispatches that run in parts, in turns, so that the tensors
// of all of them live at the same time.
MemoryPlan PlanMemory(const Graph& graph, absl::Span<const Dispatch> dispatches,
                      absl::Span<const TensorId> pinned_from_start,
                      absl::Span<const TensorId> pinned_to_end,
                      const DeviceProfile& profile,
                      std::pair<size_t, size_t> together = {0, 0});

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PLAN_MEMORY_PLAN_H_
