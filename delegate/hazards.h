// Which barrier a command needs before it, from what ran since the last ones.
#ifndef GLES_DELEGATE_DELEGATE_HAZARDS_H_
#define GLES_DELEGATE_DELEGATE_HAZARDS_H_

#include <cstdint>
#include <vector>

#include "egl/gl_api.h"

namespace gles_delegate {

// How a command reaches a resource.
enum class AccessKind { kFetch, kImage, kBuffer };

struct Access {
  int resource;  // small non-negative ids
  AccessKind kind;
  bool write;
};

// Call Before() for each command in order; it returns the bits for the
// glMemoryBarrier that must precede it, 0 where data does not flow (OpenGL ES
// 3.1, 7.11.2). Independent commands get no barrier.
class HazardTracker {
 public:
  explicit HazardTracker(int resources)
      : unseen_writes_(resources, 0), active_(resources, 0) {}
  GLbitfield Before(const std::vector<Access>& accesses);

 private:
  static constexpr uint8_t kAllKinds = 7;
  // By resource: kinds of access that a write is not visible to yet (bit mask).
  std::vector<uint8_t> unseen_writes_;
  // By resource: touched since the last barrier that orders stores after it.
  std::vector<uint8_t> active_;
  std::vector<int> dirty_;    // resources with unseen_writes_
  std::vector<int> touched_;  // resources with active_
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_HAZARDS_H_
