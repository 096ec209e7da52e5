// How a session builds and runs its partition, of the delegate's options.
#ifndef GLES_DELEGATE_DELEGATE_SESSION_SESSION_OPTIONS_H_
#define GLES_DELEGATE_DELEGATE_SESSION_SESSION_OPTIONS_H_

#include <cstdint>

#include "delegate/partition/partition_builder.h"
#include "egl/waiting.h"

namespace gles_delegate {

struct SessionOptions {
  BuildOptions build;
  egl::Waiting waiting = egl::Waiting::kPassive;
  bool does_not_wait = false;      // Invoke returns before the GPU has finished
  bool is_verbose = true;          // some more warnings
  bool profiles = false;           // each dispatch is timed
  int64_t memory_limit_bytes = 0;  // of all partitions of a Gpu; 0: no limit
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_SESSION_SESSION_OPTIONS_H_
