// What the partitions of one context share, and, with the option share_key,
// those of several contexts that share GL's objects.
#ifndef GLES_DELEGATE_DELEGATE_RUNTIME_SHARED_OBJECTS_H_
#define GLES_DELEGATE_DELEGATE_RUNTIME_SHARED_OBJECTS_H_

#include <atomic>
#include <cstddef>
#include <mutex>

#include "delegate/runtime/constant_store.h"
#include "delegate/runtime/program_cache.h"

namespace gles_delegate {

// Threads: whoever builds holds `building`, and where `by_key` is set lets go
// of it once the GPU has finished all that was made (glFinish), so that another
// context may use it from then on. Invoke reads programs and constants and
// writes neither: it needs no lock. Destroyed inside Run() of one of the
// contexts.
struct SharedObjects {
  explicit SharedObjects(bool shared_by_key = false) : by_key(shared_by_key) {}

  // With share_key: constants are shared as well.
  const bool by_key;
  std::mutex building;
  ProgramCache programs;
  // programs.size(), for those who do not want to wait for whoever builds.
  std::atomic<size_t> program_count = 0;
  ConstantStore constants;
  // One of the contexts was lost: no other is to join them.
  std::atomic<bool> lost = false;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_RUNTIME_SHARED_OBJECTS_H_
