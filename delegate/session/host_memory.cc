#include "delegate/session/host_memory.h"

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

}  // namespace gles_delegate
