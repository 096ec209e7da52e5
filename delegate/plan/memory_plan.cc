#include "delegate/plan/memory_plan.h"

#include <algorithm>
#include <limits>
#include <map>

#include "absl/numeric/bits.h"
#include "delegate/plan/dispatch.h"

namespace gles_delegate {

using gl_shaders::Storage;

TensorId MemoryOf(const Graph& graph, TensorId id) {
  const TensorId of = graph.tensor(id).view.of;
  return of == kNoTensor ? id : of;
}

namespace {

struct Lifetime {
  int first = std::numeric_limits<int>::max();
  int last = -1;
};

// The slot, and behind each of its ends what belongs to no tensor: a slice and
// a row of buffers, a texel, row or layer of textures. As it is where the
// device has no larger ones.
Slot WithMargin(const Slot& slot, const Shape& shape,
                const DeviceLimits& limits) {
  Slot larger = slot;
  if (gl_shaders::IsBuffer(slot.storage)) {
    larger.width += (shape.h + 1) * shape.w;
  } else {
    const bool has_layers = slot.storage == Storage::kTextureArray;
    larger.width += 1;
    larger.height += has_layers ? 1 : shape.h;
    larger.layers += has_layers ? 1 : 0;
  }
  return Fits(larger, limits) ? larger : slot;
}

Slot Grown(const Slot& a, const Slot& b) {
  return {a.storage, std::max(a.width, b.width), std::max(a.height, b.height),
          std::max(a.layers, b.layers), a.format};
}

// The lifetimes that took turns in a slot: first dispatch -> last.
using Busy = std::map<int, int>;

bool IsFree(const Busy& busy, const Lifetime& life) {
  auto next = busy.upper_bound(life.last);
  return next == busy.begin() || std::prev(next)->second < life.first;
}

std::vector<Lifetime> Lifetimes(const Graph& graph,
                                absl::Span<const Dispatch> dispatches,
                                absl::Span<const TensorId> from_start,
                                absl::Span<const TensorId> to_end,
                                bool all_at_once) {
  std::vector<Lifetime> lives(graph.tensors.size());
  for (size_t i = 0; i < dispatches.size(); ++i) {
    const auto first = static_cast<int>(all_at_once ? 0 : i);
    const auto last = static_cast<int>(all_at_once ? dispatches.size() - 1 : i);
    for (TensorId bound : BoundTensors(dispatches[i])) {
      const TensorId id = MemoryOf(graph, bound);
      lives[id].first = std::min(lives[id].first, first);
      lives[id].last = std::max(lives[id].last, last);
    }
  }
  for (TensorId id : from_start) {
    lives[id].first = -1;
    lives[id].last = std::max(lives[id].last, 0);
  }
  for (TensorId output : to_end) {
    const TensorId id = MemoryOf(graph, output);
    lives[id].first =
        std::min(lives[id].first, static_cast<int>(dispatches.size()));
    lives[id].last = static_cast<int>(dispatches.size());
  }
  return lives;
}

}  // namespace

Slot Allocated(const Slot& slot, const DeviceProfile& profile) {
  // A buffer that is only bound as a storage buffer has no size that a program
  // knows.
  if (!profile.faults.compiles_by_sizes || slot.storage == Storage::kBuffer) {
    return slot;
  }
  const auto uneven = [](int size, int64_t limit) {
    int larger = size;
    while (absl::has_single_bit(static_cast<unsigned>(larger))) ++larger;
    return larger <= limit ? larger : size;
  };
  Slot result = slot;
  if (slot.storage == Storage::kTexelBuffer) {
    result.width = uneven(slot.width, profile.limits.max_texel_buffer_texels);
  } else {
    result.width = uneven(slot.width, profile.limits.max_texture_size);
    result.height = uneven(slot.height, profile.limits.max_texture_size);
  }
  return result;
}

MemoryPlan PlanMemory(const Graph& graph, absl::Span<const Dispatch> dispatches,
                      absl::Span<const TensorId> pinned_from_start,
                      absl::Span<const TensorId> pinned_to_end,
                      const DeviceProfile& profile) {
  // In the self-check each tensor has its own slot, larger than itself, so that
  // reads past its end find poison (GpuMemory::Make()).
  const bool poisoned = profile.options.self_check != SelfCheckRun::kNone;
  const std::vector<Lifetime> lives =
      Lifetimes(graph, dispatches, pinned_from_start, pinned_to_end, poisoned);
  std::vector<Slot> wanted(graph.tensors.size());
  std::vector<TensorId> order;
  MemoryPlan plan;
  for (TensorId id = 0; id < static_cast<TensorId>(graph.tensors.size());
       ++id) {
    if (lives[id].last < 0 || graph.tensor(id).is_constant()) continue;
    const Tensor& tensor = graph.tensor(id);
    wanted[id] = SlotFor(tensor.shape,
                         StorageFor(tensor, profile).value_or(Storage::kBuffer),
                         FormatFor(tensor, profile.options));
    if (poisoned) {
      wanted[id] = WithMargin(wanted[id], tensor.shape, profile.limits);
    }
    plan.bytes_unshared += Allocated(wanted[id], profile).bytes();
    order.push_back(id);
  }
  std::stable_sort(order.begin(), order.end(), [&](TensorId a, TensorId b) {
    return wanted[a].bytes() > wanted[b].bytes();
  });
  plan.slot_of.assign(graph.tensors.size(), -1);
  std::vector<Busy> busy;
  for (TensorId id : order) {
    int best = -1;
    int64_t best_growth = wanted[id].texels();  // a new slot's price
    for (size_t s = 0; s < plan.slots.size() && best_growth > 0; ++s) {
      if (plan.slots[s].storage != wanted[id].storage ||
          plan.slots[s].format != wanted[id].format ||
          !IsFree(busy[s], lives[id])) {
        continue;
      }
      const int64_t growth =
          Grown(plan.slots[s], wanted[id]).texels() - plan.slots[s].texels();
      if (growth < best_growth) {
        best = static_cast<int>(s);
        best_growth = growth;
      }
    }
    if (best < 0) {
      best = static_cast<int>(plan.slots.size());
      plan.slots.push_back(wanted[id]);
      busy.emplace_back();
    } else {
      plan.slots[best] = Grown(plan.slots[best], wanted[id]);
    }
    busy[best][lives[id].first] = lives[id].last;
    plan.slot_of[id] = best;
  }
  for (size_t id = 0; id < plan.slot_of.size(); ++id) {
    const TensorId memory = MemoryOf(graph, static_cast<TensorId>(id));
    plan.slot_of[id] = plan.slot_of[memory];
  }
  for (const Slot& slot : plan.slots) {
    plan.bytes_shared += Allocated(slot, profile).bytes();
  }
  return plan;
}

}  // namespace gles_delegate
