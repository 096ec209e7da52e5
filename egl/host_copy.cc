#include "egl/host_copy.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
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

}  // namespace gles_delegate::egl
