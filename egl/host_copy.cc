#include "egl/host_copy.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <system_error>
#include <thread>
#include <vector>

namespace gles_delegate::egl {
namespace {

// Below the first, starting threads costs more than it saves.
constexpr size_t kBytesForThreads = 8 << 20;
constexpr size_t kBytesAThread = 2 << 20;
constexpr size_t kMaxThreads = 8;
constexpr size_t kCacheLine = 64;

size_t ThreadsFor(size_t bytes) {
  if (bytes < kBytesForThreads) return 1;
  const size_t half = std::thread::hardware_concurrency() / 2;
  return std::max<size_t>(1,
                          std::min({half, kMaxThreads, bytes / kBytesAThread}));
}

}  // namespace

void HostCopy(void* to, const void* from, size_t bytes) {
  HostCopyBy(ThreadsFor(bytes), to, from, bytes);
}

void HostCopyBy(size_t parts, void* to, const void* from, size_t bytes) {
  const size_t part = (bytes / parts + kCacheLine) / kCacheLine * kCacheLine;
  const auto copy = [=](size_t index) {
    const size_t begin = std::min(bytes, index * part);
    const size_t end = std::min(bytes, begin + part);
    if (begin == end) return;
    std::memcpy(static_cast<uint8_t*>(to) + begin,
                static_cast<const uint8_t*>(from) + begin, end - begin);
  };
  std::vector<std::thread> threads;
  threads.reserve(parts);
  size_t next = 1;
  try {
    for (; next < parts; ++next) threads.emplace_back(copy, next);
  } catch (const std::system_error&) {
    // No more threads to be had: this one does the rest.
  }
  copy(0);
  for (; next < parts; ++next) copy(next);
  for (std::thread& thread : threads) thread.join();
}

void CopyInOrder(size_t bytes, size_t pieces,
                 absl::FunctionRef<void(size_t)> copy,
                 absl::FunctionRef<void(size_t)> ready) {
  CopyInOrderBy(ThreadsFor(bytes), pieces, copy, ready);
}

void CopyInOrderBy(size_t count, size_t pieces,
                   absl::FunctionRef<void(size_t)> copy,
                   absl::FunctionRef<void(size_t)> ready) {
  std::atomic<size_t> next = 0;
  std::unique_ptr<std::atomic<bool>[]> done(new std::atomic<bool>[pieces]);
  for (size_t i = 0; i < pieces; ++i) done[i] = false;
  const auto copy_next = [&] {
    const size_t i = next++;
    if (i >= pieces) return false;
    copy(i);
    done[i].store(true, std::memory_order_release);
    return true;
  };
  std::vector<std::thread> threads;
  threads.reserve(count);
  try {
    while (threads.size() + 1 < std::min(count, pieces)) {
      threads.emplace_back([&] {
        while (copy_next()) {
        }
      });
    }
  } catch (const std::system_error&) {
    // No more threads to be had: those that there are do all.
  }
  for (size_t i = 0; i < pieces; ++i) {
    while (!done[i].load(std::memory_order_acquire)) {
      if (!copy_next()) std::this_thread::yield();
    }
    ready(i);
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace gles_delegate::egl
