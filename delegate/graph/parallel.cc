#include "delegate/graph/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <new>
#include <thread>
#include <utility>
#include <vector>

namespace gles_delegate {
namespace {

constexpr int kMaxThreads = 4;
// Of less, starting threads takes longer than it saves.
constexpr int64_t kBytesForThreads = 1 << 20;

// Starts threads that call fn(1), fn(2) up to fn(count - 1), or as many as the
// system gives.
template <typename Fn>
std::vector<std::thread> StartThreads(int count, const Fn& fn) {
  std::vector<std::thread> threads;
  threads.reserve(count);
  try {
    for (int i = 1; i < count; ++i) threads.emplace_back(fn, i);
  } catch (const std::exception&) {
    // The caller's thread does the rest.
  }
  return threads;
}

}  // namespace

void InRangesBy(int threads, int count,
                absl::FunctionRef<void(int begin, int end)> fn) {
  std::atomic<bool> failed = false;
  const auto run = [&](int part) {
    try {
      fn(static_cast<int>(int64_t{count} * part / threads),
         static_cast<int>(int64_t{count} * (part + 1) / threads));
    } catch (const std::exception&) {
      failed = true;
    }
  };
  std::vector<std::thread> others = StartThreads(threads, run);
  const int started = 1 + static_cast<int>(others.size());
  run(0);
  for (int part = started; part < threads; ++part) run(part);
  for (std::thread& thread : others) thread.join();
  if (failed) throw std::bad_alloc();
}

int ThreadsForWork() {
  const int half = static_cast<int>(std::thread::hardware_concurrency()) / 2;
  return std::clamp(half, 1, kMaxThreads);
}

void InRanges(int count, int64_t bytes,
              absl::FunctionRef<void(int begin, int end)> fn) {
  InRangesBy(bytes < kBytesForThreads ? 1 : ThreadsForWork(), count, fn);
}

WorkAhead::WorkAhead(int threads, int count, std::function<void(int)> fn)
    : fn_(std::move(fn)), done_(count) {
  threads_ = StartThreads(threads, [this, count](int) {
    for (int i = next_++; i < count; i = next_++) Do(i);
  });
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
