// GPU constants shared by the executors of a context or, with the option
// share_key, of several.
#ifndef GLES_DELEGATE_DELEGATE_RUNTIME_CONSTANT_STORE_H_
#define GLES_DELEGATE_DELEGATE_RUNTIME_CONSTANT_STORE_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/hash_tables.h"
#include "delegate/cache/cache_hash.h"
#include "delegate/runtime/gpu_memory.h"
#include "egl/objects.h"

namespace gles_delegate {

// A constant with its GL objects. The last owner releases it inside Run() of a
// context that shares objects with the one that made it.
struct SharedConstant {
  Resource resource;
  std::vector<egl::Texture> textures;
  std::vector<egl::Buffer> buffers;
};

// Finds constants by content and storage, or by their place in a plan. Holds
// weak references. Threads: any, concurrently.
class ConstantStore {
 public:
  using Constant = std::shared_ptr<const SharedConstant>;

  // The key of a constant with contents `bytes` in a slot of this shape.
  static Hash128 KeyOfContent(const Slot& slot,
                              absl::Span<const uint8_t> bytes);
  // The key of constant number `place` of a plan; `plan` is a hash of
  // everything that its constants are made from.
  static Hash128 KeyOfPlace(const Slot& slot, const Hash128& plan, int place);

  // nullptr: there is none with this key.
  Constant Find(const Hash128& key);
  void Add(const Hash128& key, const Constant& constant);

 private:
  using Key = std::pair<uint64_t, uint64_t>;
  std::mutex mutex_;
  HashMap<Key, std::weak_ptr<const SharedConstant>> constants_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_RUNTIME_CONSTANT_STORE_H_
