// Work on the CPU by several threads. egl/host_copy.h keeps threads for copies;
// ops, which use this, do not link egl/.
#ifndef GLES_DELEGATE_DELEGATE_GRAPH_PARALLEL_H_
#define GLES_DELEGATE_DELEGATE_GRAPH_PARALLEL_H_

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "absl/base/call_once.h"
#include "absl/functional/function_ref.h"

namespace gles_delegate {

// Calls fn(begin, end) once for each of `threads` ranges that together are
// [0, count), on a thread each, the caller's included. Returns when all are
// done.
void InRangesBy(int threads, int count,
                absl::FunctionRef<void(int begin, int end)> fn);

// Up to four threads, and half of the machine's at most.
int ThreadsForWork();

// Calls fn(i) once for each i < count, in about this order, on `threads`
// threads that include the caller of Await(): work that the caller needs piece
// by piece, while it has other things to do. The destructor waits for all calls
// that have begun. Threads: fn runs on any; the rest is the caller's.
class WorkAhead {
 public:
  WorkAhead(int threads, int count, std::function<void(int)> fn);
  ~WorkAhead();
  WorkAhead(const WorkAhead&) = delete;
  WorkAhead& operator=(const WorkAhead&) = delete;

  // Returns when fn(i) has returned; calls it if no thread has begun it. Throws
  // bad_alloc if a call has thrown.
  void Await(int i);

 private:
  void Do(int i);

  const std::function<void(int)> fn_;
  std::vector<absl::once_flag> done_;
  std::atomic<int> next_{0};
  std::atomic<bool> failed_{false};
  std::vector<std::thread> threads_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_GRAPH_PARALLEL_H_
