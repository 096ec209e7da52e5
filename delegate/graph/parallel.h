// Work on the CPU by several threads, for stages that do not link egl/, whose
// host_copy.h keeps threads for copies.
#ifndef GLES_DELEGATE_DELEGATE_GRAPH_PARALLEL_H_
#define GLES_DELEGATE_DELEGATE_GRAPH_PARALLEL_H_

#include <cstdint>

#include "absl/functional/function_ref.h"

namespace gles_delegate {

// Calls fn(begin, end) once for each of `threads` ranges that together are
// [0, count), on a thread each, the caller's included. Returns when all are
// done.
void InRangesBy(int threads, int count,
                absl::FunctionRef<void(int begin, int end)> fn);

// The same with up to four threads if the work writes at least a mebibyte, and
// half of the machine's at most. `bytes`: that are written.
void InRanges(int count, int64_t bytes,
              absl::FunctionRef<void(int begin, int end)> fn);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_GRAPH_PARALLEL_H_
