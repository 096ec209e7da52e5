#include "delegate/session/io_slot.h"

#include <cstring>

#include "delegate/session/state_mark.h"

namespace gles_delegate {

IoSlot::IoSlot(const Tensor& tensor, int index)
    : index_(index), is_state_(tensor.is_variable), host_(tensor) {}

absl::StatusOr<absl::Span<const uint8_t>> IoSlot::Read(bool gpu_has_state) {
  auto values = host_.Read(memory);
  if (!values.ok() || !is_state_ || !IsStateOnGpu(memory)) return values;
  if (gpu_has_state) return absl::Span<const uint8_t>();
  // The GPU that held it was deleted with an earlier session: start over.
  std::memset(memory.data, 0, memory.bytes);
  return values;
}

void IoSlot::FinishInput() const {
  if (is_state_) MarkStateOnGpu(memory);
}

}  // namespace gles_delegate
