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
};

// Call Before() for each command, in order, with the command's accesses. It
// returns the bits of the glMemoryBarrier that must come before the command, 0
// where no data flows to it (OpenGL ES 3.1, section 7.11.2). Independent
// commands get no barrier.
class HazardTracker {
 public:
  explicit HazardTracker(int resources)
      : unseen_writes_(resources, 0), unordered_(resources, 0) {}
  GLbitfield Before(const std::vector<Access>& accesses);

 private:
  static constexpr uint8_t kAllKinds = 7;
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
  std::vector<int> dirty_;    // resources with unseen_writes_
  std::vector<int> touched_;  // resources with unordered_
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PLAN_HAZARDS_H_
