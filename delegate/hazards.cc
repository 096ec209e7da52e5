#include "delegate/hazards.h"

namespace gles_delegate {
namespace {

uint8_t Bit(AccessKind kind) { return uint8_t{1} << static_cast<int>(kind); }

GLbitfield BarrierFor(AccessKind kind) {
  switch (kind) {
    case AccessKind::kFetch:
      return GL_TEXTURE_FETCH_BARRIER_BIT;
    case AccessKind::kImage:
      return GL_SHADER_IMAGE_ACCESS_BARRIER_BIT;
    case AccessKind::kBuffer:
      return GL_SHADER_STORAGE_BARRIER_BIT;
  }
  return 0;
}

}  // namespace

GLbitfield HazardTracker::Before(const std::vector<Access>& accesses) {
  GLbitfield bits = 0;
  uint8_t kinds = 0;
  bool order_stores = false;
  for (const Access& a : accesses) {
    const bool unseen = (unseen_writes_[a.resource] & Bit(a.kind)) != 0;
    const bool store_after = a.write && active_[a.resource] != 0;
    if (!unseen && !store_after) continue;
    bits |= BarrierFor(a.kind);
    kinds |= Bit(a.kind);
    // Image and buffer barriers also hold later stores of that kind back until
    // everything before has finished.
    order_stores |= a.kind != AccessKind::kFetch;
  }
  if (kinds != 0) {
    std::vector<int> still;
    for (int r : dirty_) {
      unseen_writes_[r] &= static_cast<uint8_t>(~kinds);
      if (unseen_writes_[r] != 0) still.push_back(r);
    }
    dirty_ = std::move(still);
  }
  if (order_stores) {
    for (int r : touched_) active_[r] = 0;
    touched_.clear();
  }
  for (const Access& a : accesses) {
    if (active_[a.resource] == 0) {
      active_[a.resource] = 1;
      touched_.push_back(a.resource);
    }
    if (!a.write) continue;
    if (unseen_writes_[a.resource] == 0) dirty_.push_back(a.resource);
    unseen_writes_[a.resource] = kAllKinds;
  }
  return bits;
}

}  // namespace gles_delegate
