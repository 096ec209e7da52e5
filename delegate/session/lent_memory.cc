#include "delegate/session/lent_memory.h"

#include <cstdint>
#include <utility>

namespace gles_delegate {
namespace {

// TFLite's alignment of a tensor's memory (kDefaultTensorAlignment).
constexpr uintptr_t kAlignment = 64;

}  // namespace

std::unique_ptr<LentMemory> LentMemory::Of(
    std::shared_ptr<egl::Context> context, const HostTransfer& transfer,
    size_t bytes) {
  std::shared_ptr<egl::Buffer> buffer = transfer.HostMemory();
  if (buffer == nullptr || bytes != transfer.bytes() ||
      reinterpret_cast<uintptr_t>(buffer->mapped()) % kAlignment != 0) {
    return nullptr;
  }
  return std::unique_ptr<LentMemory>(
      new LentMemory(std::move(context), std::move(buffer)));
}

LentMemory::LentMemory(std::shared_ptr<egl::Context> context,
                       std::shared_ptr<egl::Buffer> buffer)
    : context_(std::move(context)), buffer_(std::move(buffer)) {}

LentMemory::~LentMemory() {
  (void)context_->Run([this] {
    buffer_.reset();
    return absl::OkStatus();
  });
}

}  // namespace gles_delegate
