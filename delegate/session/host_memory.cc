#include "delegate/session/host_memory.h"

#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"

namespace gles_delegate {

absl::Status CheckBytes(const HostMemory& memory, size_t elements,
                        DataType type) {
  const size_t wanted = elements * DataTypeSize(type);
  if (memory.data != nullptr && memory.bytes == wanted) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "tensor '", memory.name == nullptr ? "" : memory.name, "' holds ",
      memory.bytes, " bytes, the partition was prepared for ", wanted,
      "; call AllocateTensors after resizing"));
}

// --- Memory that the runtime's tensors borrow --------------------------------

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

// --- States ------------------------------------------------------------------

namespace {

// A quiet NaN with a payload: the NaNs that arithmetic makes have a payload of
// zeros.
constexpr uint32_t kMark = 0x7fd5a6c3;

}  // namespace

void MarkStateOnGpu(const HostMemory& memory) {
  if (memory.data == nullptr) return;
  std::memcpy(memory.data, &kMark, sizeof(kMark));
}

bool IsStateOnGpu(const HostMemory& memory) {
  return memory.data != nullptr &&
         std::memcmp(memory.data, &kMark, sizeof(kMark)) == 0;
}

}  // namespace gles_delegate
