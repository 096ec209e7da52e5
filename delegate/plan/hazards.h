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
  // Of an access to a part of a tensor alone: which tensor, and which of its
  // units, [begin, end), whatever those are. -1: the access may be to all of
  // the resource.
  int whole = -1;
  int64_t begin = 0;
  int64_t end = 1;
};

// Call Before() for each command, in order, with the command's accesses. It
// returns the bits of the glMemoryBarrier that must come before the command, 0
// where no data flows to it (OpenGL ES 3.1, section 7.11.2). Independent
// commands get no barrier, nor do accesses to parts of a tensor that lie apart.
class HazardTracker {
 public:
  explicit HazardTracker(int resources) : open_(resources) {}
  GLbitfield Before(const std::vector<Access>& accesses);

 private:
  static constexpr uint8_t kAllKinds = 7;
  // What barriers have not settled yet of the accesses to one part of a
  // resource.
  struct Open {
    Access part;  // of which resource, which part
    // Kinds of access that a write is not visible to yet (bit mask).
    uint8_t unseen_writes = 0;
    // Kinds of store that would not wait for an access (bit mask). A barrier
    // orders the stores of its own kind alone, and a resource may be read as
    // one kind and written as another (a texel buffer).
    uint8_t unordered = 0;
  };
  static bool LieApart(const Access& a, const Access& b);
  static bool IsSamePart(const Access& a, const Access& b);
  void Note(const Access& access);
  // A barrier of these kinds.
  void Settle(uint8_t kinds);

  std::vector<std::vector<Open>> open_;  // by resource
  std::vector<int> touched_;             // resources with any in open_
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PLAN_HAZARDS_H_
