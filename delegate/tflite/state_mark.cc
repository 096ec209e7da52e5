#include "delegate/tflite/state_mark.h"

#include <cstdint>
#include <cstring>

namespace gles_delegate {
namespace {

// A quiet NaN with a payload: the NaNs that arithmetic makes have a payload of
// zeros.
constexpr uint32_t kMark = 0x7fd5a6c3;

}  // namespace

void MarkStateOnGpu(TfLiteTensor& tensor) {
  std::memcpy(tensor.data.raw, &kMark, sizeof(kMark));
}

bool IsStateOnGpu(const TfLiteTensor& tensor) {
  return std::memcmp(tensor.data.raw, &kMark, sizeof(kMark)) == 0;
}

}  // namespace gles_delegate
