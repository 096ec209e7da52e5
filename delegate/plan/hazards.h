// Which barrier a command needs before it, from what ran since the last ones.
#ifndef GLES_DELEGATE_DELEGATE_PLAN_HAZARDS_H_
#define GLES_DELEGATE_DELEGATE_PLAN_HAZARDS_H_

#include <cstdint>
#include <vector>

#include "egl/gl_api.h"

namespace gles_delegate {

// How a command reaches a resource.
enum class AccessKind { kFetch, kImage, kBuffer };

// The bit that makes earlier stores seen by accesses of the kind, and holds
// stores of the kind back until all earlier accesses are done (OpenGL ES 3.1,
// 7.11.2).
GLbitfield BarrierBit(AccessKind kind);

struct Access {
  int resource;  // small non-negative ids
  AccessKind kind;
  bool write;
  // Of a store to a part of a tensor alone: which tensor, and which part. Parts
  // of one tensor lie apart. -1: the access may be to all of the resource.
  int whole = -1;
  int part = -1;
};

// Call Before() for each command, in order, with the command's accesses. It
// returns the bits of the glMemoryBarrier that must come before the command, 0
// where no data flows to it (OpenGL ES 3.1, section 7.11.2). Independent
// commands get no barrier, nor do stores to parts of a tensor that lie apart.
class HazardTracker {
 public:
  explicit HazardTracker(int resources)
      : unseen_writes_(resources, 0),
        unordered_(resources, 0),
        parts_(resources) {}
  GLbitfield Before(const std::vector<Access>& accesses);

 private:
  static constexpr uint8_t kAllKinds = 7;
  // Stores to different parts of a tensor, where nothing else has touched the
  // resource since the last barrier of their kind.
  struct PartStores {
    int whole = -1;  // -1: something else has, or nothing
    AccessKind kind = AccessKind::kBuffer;
    std::vector<int> parts;
  };
  // Whether the access stores to a part that all of these lie apart from.
  static bool LiesApart(const Access& access, const PartStores& stores);
  void Note(const Access& access);
  // Takes `kinds` out of the masks of `resources`, and those with none left out
  // of the list.
  static void Clear(uint8_t kinds, std::vector<int>* resources,
                    std::vector<uint8_t>* masks);
  // By resource: kinds of access that a write is not visible to yet (bit mask).
  std::vector<uint8_t> unseen_writes_;
  // By resource: kinds of store that would not wait for an access to it (bit
  // mask). A barrier orders the stores of its own kind alone, and a resource
  // may be read as one kind and written as another (a texel buffer).
  std::vector<uint8_t> unordered_;
  std::vector<PartStores> parts_;  // by resource
  std::vector<int> dirty_;         // resources with unseen_writes_
  std::vector<int> touched_;       // resources with unordered_
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PLAN_HAZARDS_H_
