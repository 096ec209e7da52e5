// GPU memory that holds a tensor of the runtime (zero_copy).
#ifndef GLES_DELEGATE_DELEGATE_SESSION_LENT_MEMORY_H_
#define GLES_DELEGATE_DELEGATE_SESSION_LENT_MEMORY_H_

#include <memory>

#include "delegate/runtime/host_transfer.h"
#include "egl/context.h"
#include "egl/objects.h"

namespace gles_delegate {

// It stays when the executor is rebuilt, since the app may hold its address;
// data is then copied. Threads: one at a time.
class LentMemory {
 public:
  // nullptr unless the host may access the transfer's memory directly, and a
  // tensor of that many bytes may be there.
  static std::unique_ptr<LentMemory> Of(std::shared_ptr<egl::Context> context,
                                        const HostTransfer& transfer,
                                        size_t bytes);
  // If the context cannot be made current, the memory is released with it.
  ~LentMemory();
  LentMemory(const LentMemory&) = delete;
  LentMemory& operator=(const LentMemory&) = delete;

  char* data() const { return reinterpret_cast<char*>(buffer_->mapped()); }

 private:
  LentMemory(std::shared_ptr<egl::Context> context,
             std::shared_ptr<egl::Buffer> buffer);

  std::shared_ptr<egl::Context> context_;
  std::shared_ptr<egl::Buffer> buffer_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_SESSION_LENT_MEMORY_H_
