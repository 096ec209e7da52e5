#include "delegate/plan/hazards.h"

#include <algorithm>
#include <utility>

namespace gles_delegate {
namespace {

constexpr uint8_t Bit(AccessKind kind) {
  return static_cast<uint8_t>(1 << static_cast<int>(kind));
}

// Textures are never stored to as such.
constexpr uint8_t kStores = Bit(AccessKind::kImage) | Bit(AccessKind::kBuffer);

}  // namespace

GLbitfield BarrierBit(AccessKind kind) {
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

GLbitfield HazardTracker::Before(const std::vector<Access>& accesses) {
  GLbitfield bits = 0;
  uint8_t kinds = 0;
  for (const Access& a : accesses) {
    if (LiesApart(a, parts_[a.resource])) continue;
    const bool unseen = (unseen_writes_[a.resource] & Bit(a.kind)) != 0;
    const bool store_after =
        a.write && (unordered_[a.resource] & Bit(a.kind)) != 0;
    if (!unseen && !store_after) continue;
    bits |= BarrierBit(a.kind);
    kinds |= Bit(a.kind);
  }
  if (kinds != 0) {
    for (int r : touched_) {
      if ((kinds & Bit(parts_[r].kind)) != 0) parts_[r] = {};
    }
    Clear(kinds, &dirty_, &unseen_writes_);
    // Image and buffer barriers also hold later stores of that kind back until
    // everything before has finished.
    Clear(kinds, &touched_, &unordered_);
  }
  for (const Access& a : accesses) {
    Note(a);
    if (unordered_[a.resource] == 0) touched_.push_back(a.resource);
    unordered_[a.resource] = kStores;
    if (!a.write) continue;
    if (unseen_writes_[a.resource] == 0) dirty_.push_back(a.resource);
    unseen_writes_[a.resource] = kAllKinds;
  }
  return bits;
}

bool HazardTracker::LiesApart(const Access& access, const PartStores& stores) {
  return access.write && access.whole >= 0 && access.whole == stores.whole &&
         access.kind == stores.kind &&
         std::find(stores.parts.begin(), stores.parts.end(), access.part) ==
             stores.parts.end();
}

void HazardTracker::Note(const Access& access) {
  PartStores& stores = parts_[access.resource];
  const bool is_first = access.write && access.whole >= 0 &&
                        (unordered_[access.resource] & Bit(access.kind)) == 0;
  if (is_first) {
    stores = {access.whole, access.kind, {access.part}};
  } else if (LiesApart(access, stores)) {
    stores.parts.push_back(access.part);
  } else {
    stores = {};
  }
}

void HazardTracker::Clear(uint8_t kinds, std::vector<int>* resources,
                          std::vector<uint8_t>* masks) {
  std::vector<int> still;
  for (int r : *resources) {
    (*masks)[r] &= static_cast<uint8_t>(~kinds);
    if ((*masks)[r] != 0) still.push_back(r);
  }
  *resources = std::move(still);
}

}  // namespace gles_delegate
