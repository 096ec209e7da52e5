#include "delegate/graph/parallel.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <new>
#include <utility>

namespace gles_delegate {

void InRangesBy(int threads, int count,
                absl::FunctionRef<void(int begin, int end)> fn) {
  WorkAhead parts(threads, threads, [&](int part) {
    fn(static_cast<int>(int64_t{count} * part / threads),
       static_cast<int>(int64_t{count} * (part + 1) / threads));
  });
  // The others begin with the first: to wait for that would leave this thread
  // without work.
  for (int part = threads; part-- > 0;) parts.Await(part);
}

int ThreadsForWork() {
  constexpr int kMaxThreads = 4;
  const int half = static_cast<int>(std::thread::hardware_concurrency()) / 2;
  return std::clamp(half, 1, kMaxThreads);
}

WorkAhead::WorkAhead(int threads, int count, std::function<void(int)> fn)
    : fn_(std::move(fn)), done_(count) {
  const auto work = [this, count] {
    for (int i = next_++; i < count; i = next_++) Do(i);
  };
  threads_.reserve(threads);
  try {
    for (int i = 1; i < threads; ++i) threads_.emplace_back(work);
  } catch (const std::exception&) {
    // The caller's thread does the rest.
  }
}

WorkAhead::~WorkAhead() {
  next_ = static_cast<int>(done_.size());
  for (std::thread& thread : threads_) thread.join();
}

void WorkAhead::Await(int i) {
  Do(i);
  if (failed_) throw std::bad_alloc();
}

void WorkAhead::Do(int i) {
  absl::call_once(done_[i], [this, i] {
    try {
      fn_(i);
    } catch (const std::exception&) {
      failed_ = true;
    }
  });
}

}  // namespace gles_delegate
