// Objects shared by the partitions of a context and, with the option share_key,
// of several contexts that share GL objects.
#ifndef GLES_DELEGATE_DELEGATE_RUNTIME_SHARED_OBJECTS_H_
#define GLES_DELEGATE_DELEGATE_RUNTIME_SHARED_OBJECTS_H_

#include <atomic>
#include <cstddef>
#include <mutex>

#include "delegate/runtime/constant_memory.h"
#include "delegate/runtime/program_cache.h"

namespace gles_delegate {

// Threads: a builder holds `building`, and with `by_key` calls glFinish before
// releasing it, so that other contexts may use the objects. Invoke only reads
// programs and constants and needs no lock. Destroyed inside Run() of one of
// the contexts.
struct SharedObjects {
  explicit SharedObjects(bool shared_by_key = false) : by_key(shared_by_key) {}

  // With share_key.
  const bool by_key;
  std::mutex building;
  ProgramCache programs;
  // programs.size(), readable without waiting for builders.
  std::atomic<size_t> program_count = 0;
  ConstantStore constants;
  // One of the contexts was lost: no others may join.
  std::atomic<bool> lost = false;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_RUNTIME_SHARED_OBJECTS_H_
