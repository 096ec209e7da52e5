#include "delegate/tflite/kept_caches.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace gles_delegate {
namespace {

// Quiet NaNs with payloads: the NaNs that arithmetic makes have a payload of
// zeros.
constexpr uint64_t kMagic[] = {0x7fd5a6c47fe91b35, 0x7fcd39f27ff40e81};

struct CacheMark {
  uint64_t magic[2];
  uint64_t pool, cache;  // their numbers
  uint64_t updates;      // of the cache
};

std::atomic<uint64_t> g_pools{0};

}  // namespace

CachePool::CachePool() : number_(++g_pools) {}

absl::StatusOr<std::shared_ptr<KeptCache>> CachePool::MarkedIn(
    const HostMemory& memory) const {
  CacheMark mark;
  if (memory.bytes < sizeof(mark)) return nullptr;
  std::memcpy(&mark, memory.data, sizeof(mark));
  if (std::memcmp(mark.magic, kMagic, sizeof(kMagic)) != 0) return nullptr;
  std::shared_ptr<KeptCache> cache;
  if (mark.pool == number_ && mark.cache < caches_.size()) {
    cache = caches_[mark.cache].lock();
  }
  if (cache == nullptr) {
    return absl::FailedPreconditionError(
        "state_pairs: this call got a cache of another delegate, or of an "
        "interpreter that was deleted; write values");
  }
  if (cache->updates != mark.updates) {
    return absl::FailedPreconditionError(
        "state_pairs: this call got a cache that a later call has updated "
        "since; pass on the last call's, or write values");
  }
  return cache;
}

std::shared_ptr<KeptCache> CachePool::Add() {
  auto cache = std::make_shared<KeptCache>();
  cache->number = caches_.size();
  caches_.push_back(cache);
  return cache;
}

void CachePool::Mark(const KeptCache& cache, const HostMemory& memory) const {
  if (memory.data == nullptr) return;
  const CacheMark mark = {
      {kMagic[0], kMagic[1]}, number_, cache.number, cache.updates};
  std::memcpy(memory.data, &mark, sizeof(mark));
}

bool KeptCaches::HasRoom(size_t bytes) { return bytes >= sizeof(CacheMark); }

absl::StatusOr<TensorBuffer*> KeptCaches::Take(int input,
                                               const HostMemory& memory) {
  RETURN_IF_ERROR(
      CheckBytes(memory, memory.bytes / sizeof(float), DataType::kFloat32));
  ASSIGN_OR_RETURN(auto cache, pool_->MarkedIn(memory));
  if (cache == nullptr) {
    std::shared_ptr<KeptCache>& own = own_[input];
    if (own == nullptr) own = pool_->Add();
    if (own->buffer == nullptr || own->buffer->bytes() != memory.bytes) {
      own->buffer = std::make_unique<TensorBuffer>(memory.bytes);
    }
    cache = own;
    ++cache->updates;
    ASSIGN_OR_RETURN(const HostMemory values,
                     cache->buffer->Lock(/*reads=*/false, /*writes=*/true));
    std::memcpy(values.data, memory.data, memory.bytes);
    cache->buffer->Unlock();
  }
  if (cache->buffer->bytes() != memory.bytes) {
    return absl::InvalidArgumentError(absl::StrCat(
        "state_pairs: a cache of ", cache->buffer->bytes(),
        " bytes is passed to an input of ", memory.bytes, " bytes"));
  }
  taken_[input] = cache;
  return cache->buffer.get();
}

absl::Status KeptCaches::BringToHost(const HostMemory& memory) const {
  ASSIGN_OR_RETURN(auto cache, pool_->MarkedIn(memory));
  if (cache == nullptr) return absl::OkStatus();
  ASSIGN_OR_RETURN(const HostMemory values,
                   cache->buffer->Lock(/*reads=*/true, /*writes=*/false));
  std::memcpy(memory.data, values.data, std::min(memory.bytes, values.bytes));
  cache->buffer->Unlock();
  return absl::OkStatus();
}

void KeptCaches::NoteUpdate(int input, const HostMemory& in,
                            const HostMemory& out) {
  const std::shared_ptr<KeptCache>& cache = taken_.at(input);
  ++cache->updates;
  pool_->Mark(*cache, in);
  pool_->Mark(*cache, out);
}

}  // namespace gles_delegate
