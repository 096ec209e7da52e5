// Bounds what the runtime's kernels allocate outside the runtime's own calls.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_RESIZE_LIMIT_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_RESIZE_LIMIT_H_

#include <cstddef>

#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// While it lives, the context refuses to resize a tensor outside the arena
// (kTfLiteDynamic, kTfLitePersistentRo) to more than `bytes`, as if memory had
// run out; the kernel's message says so. Objects on one thread end
// in reverse order of construction. The smallest limit of those counts.
class ResizeLimit {
 public:
  ResizeLimit(TfLiteContext* context, size_t bytes);
  ~ResizeLimit();
  ResizeLimit(const ResizeLimit&) = delete;
  ResizeLimit& operator=(const ResizeLimit&) = delete;

 private:
  TfLiteContext* const context_;
  decltype(TfLiteContext::ResizeTensor) const before_;
  const size_t limit_before_;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_RESIZE_LIMIT_H_
