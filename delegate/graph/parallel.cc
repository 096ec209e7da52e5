#include "delegate/graph/parallel.h"

#include <algorithm>
#include <system_error>
#include <thread>
#include <vector>

namespace gles_delegate {
namespace {

constexpr int kMaxThreads = 4;
// Of less, starting threads takes longer than it saves.
constexpr int64_t kBytesForThreads = 1 << 20;

int ThreadsFor(int64_t bytes) {
  if (bytes < kBytesForThreads) return 1;
  const int half = static_cast<int>(std::thread::hardware_concurrency()) / 2;
  return std::clamp(half, 1, kMaxThreads);
}

}  // namespace

void InRangesBy(int threads, int count,
                absl::FunctionRef<void(int begin, int end)> fn) {
  const auto run = [&](int part) {
    fn(static_cast<int>(int64_t{count} * part / threads),
       static_cast<int>(int64_t{count} * (part + 1) / threads));
  };
  std::vector<std::thread> others;
  others.reserve(threads);
  int started = 1;
  try {
    for (; started < threads; ++started) others.emplace_back(run, started);
  } catch (const std::system_error&) {
    // The system gives no more threads: this one does the rest.
  }
  run(0);
  for (int part = started; part < threads; ++part) run(part);
  for (std::thread& thread : others) thread.join();
}

void InRanges(int count, int64_t bytes,
              absl::FunctionRef<void(int begin, int end)> fn) {
  InRangesBy(ThreadsFor(bytes), count, fn);
}

}  // namespace gles_delegate
