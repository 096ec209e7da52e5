// TFLite's buffer handles: a tensor's handle is the name of an app's buffer
// object with the tensor as float32 in BHWC order.
#include "delegate/session/buffer_copy.h"
#include "delegate/tflite/gles_simple_delegate.h"
#include "delegate/tflite/read_tensor.h"

namespace gles_delegate {

absl::Status GlesSimpleDelegate::CopyFromHandle(TfLiteBufferHandle handle,
                                                TfLiteTensor* tensor) {
  return CopyFromBuffer(gpu_.get(), static_cast<uint32_t>(handle),
                        ReadTensor(*tensor, /*index=*/-1), MemoryOf(*tensor));
}

absl::Status GlesSimpleDelegate::CopyToHandle(TfLiteBufferHandle handle,
                                              const TfLiteTensor& tensor) {
  return CopyToBuffer(gpu_.get(), static_cast<uint32_t>(handle),
                      ReadTensor(tensor, /*index=*/-1), MemoryOf(tensor));
}

}  // namespace gles_delegate
