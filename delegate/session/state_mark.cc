#include "delegate/session/state_mark.h"

#include <cstdint>
#include <cstring>

namespace gles_delegate {
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
