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

bool LieApart(const Access& a, const Access& b) {
  return a.whole >= 0 && a.whole == b.whole && a.part != b.part;
}

bool IsSamePart(const Access& a, const Access& b) {
  return a.whole == b.whole && (a.whole < 0 || a.part == b.part);
}

}  // namespace

GLbitfield BarrierBit(AccessKind kind) {
  switch (kind) {
    case AccessKind::kSampler:
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
    for (const Open& open : open_[a.resource]) {
      if (LieApart(a, open.part)) continue;
      const bool unseen = (open.unseen_writes & Bit(a.kind)) != 0;
      const bool store_after = a.write && (open.unordered & Bit(a.kind)) != 0;
      if (!unseen && !store_after) continue;
      bits |= BarrierBit(a.kind);
      kinds |= Bit(a.kind);
    }
  }
  // Image and buffer barriers also hold later stores of that kind back until
  // everything before has finished.
  if (kinds != 0) Settle(kinds);
  for (const Access& a : accesses) Note(a);
  return bits;
}

void HazardTracker::Note(const Access& access) {
  std::vector<Open>& open = open_[access.resource];
  if (open.empty()) touched_.push_back(access.resource);
  auto it = std::find_if(open.begin(), open.end(), [&](const Open& o) {
    return IsSamePart(o.part, access);
  });
  if (it == open.end()) it = open.insert(open.end(), Open{access});
  it->unordered = kStores;
  if (access.write) it->unseen_writes = kAllKinds;
}

void HazardTracker::Settle(uint8_t kinds) {
  std::vector<int> still;
  for (int r : touched_) {
    std::vector<Open>& open = open_[r];
    for (Open& o : open) {
      o.unseen_writes &= static_cast<uint8_t>(~kinds);
      o.unordered &= static_cast<uint8_t>(~kinds);
    }
    open.erase(std::remove_if(open.begin(), open.end(),
                              [](const Open& o) {
                                return o.unseen_writes == 0 && o.unordered == 0;
                              }),
               open.end());
    if (!open.empty()) still.push_back(r);
  }
  touched_ = std::move(still);
}

}  // namespace gles_delegate
