// Constants on the GPU that several executors use (the option share_key).
#ifndef GLES_DELEGATE_DELEGATE_RUNTIME_CONSTANT_STORE_H_
#define GLES_DELEGATE_DELEGATE_RUNTIME_CONSTANT_STORE_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "delegate/cache/cache_hash.h"
#include "delegate/runtime/gpu_memory.h"
#include "egl/objects.h"

namespace gles_delegate {

// A constant with the GL objects that it is. The last owner lets go of it
// inside Run() of a context that shares objects with the one that made it.
struct SharedConstant {
  Resource resource;
  std::vector<egl::Texture> textures;
  std::vector<egl::Buffer> buffers;
};

// Finds the constants that others own, by what is in them and how they are
// stored, and by their place in a plan. Owns none. Threads: any, many at once.
class ConstantStore {
 public:
  using Constant = std::shared_ptr<const SharedConstant>;

  // A constant of `bytes` in a slot of this shape.
  static Hash128 KeyOfContent(const Slot& slot,
                              absl::Span<const uint8_t> bytes);
  // Constant number `place` of a plan, `plan` a hash of all that its constants
  // are made from.
  static Hash128 KeyOfPlace(const Slot& slot, const Hash128& plan, int place);

  // nullptr: nobody owns one of this key.
  Constant Find(const Hash128& key);
  void Add(const Hash128& key, const Constant& constant);

 private:
  using Key = std::pair<uint64_t, uint64_t>;
  std::mutex mutex_;
  absl::flat_hash_map<Key, std::weak_ptr<const SharedConstant>> constants_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_RUNTIME_CONSTANT_STORE_H_
