// Computes the barrier before each command from the accesses since the last
// one.
#ifndef GLES_DELEGATE_DELEGATE_PLAN_HAZARDS_H_
#define GLES_DELEGATE_DELEGATE_PLAN_HAZARDS_H_

#include <cstdint>
#include <vector>

#include "egl/gl_api.h"
#include "gl_shaders/shader.h"

namespace gles_delegate {

// How a command reaches a resource: by a texture's sampler, as an image or as a
// buffer.
using AccessKind = gl_shaders::Bindings::Kind;

// The barrier bit that makes earlier stores visible to accesses of this kind,
// and delays stores of this kind until earlier accesses are done (OpenGL ES
// 3.1, 7.11.2).
GLbitfield BarrierBit(AccessKind kind);

struct Access {
  int resource;  // small non-negative ids
  AccessKind kind;
  bool write;
  // For an access to part of a tensor: the tensor, and which of its parts,
  // which are disjoint. -1: the whole resource.
  int whole = -1;
  int part = 0;
};

// Call Before() with the accesses of each command, in order. Returns the bits
// of the glMemoryBarrier that the command needs before it, or 0 if it does not
// depend on earlier ones (OpenGL ES 3.1, section 7.11.2). Disjoint parts of a
// tensor are independent.
class HazardTracker {
 public:
  explicit HazardTracker(int resources) : open_(resources) {}
  GLbitfield Before(const std::vector<Access>& accesses);

 private:
  static constexpr uint8_t kAllKinds = 7;
  // Accesses to one part of a resource that barriers have not yet covered.
  struct Open {
    Access part;  // of which resource, which part
    // Kinds of access to which a write is not yet visible (bit mask).
    uint8_t unseen_writes = 0;
    // Kinds of store that would not wait for an access (bit mask). A barrier
    // orders only stores of its own kind, and a resource may be read as one
    // kind and written as another (a texel buffer).
    uint8_t unordered = 0;
  };
  void Note(const Access& access);
  // Applies a barrier of these kinds.
  void Settle(uint8_t kinds);

  std::vector<std::vector<Open>> open_;  // by resource
  std::vector<int> touched_;             // resources with entries in open_
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_PLAN_HAZARDS_H_
