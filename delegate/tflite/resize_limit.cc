#include "delegate/tflite/resize_limit.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "delegate/tflite/scratch_memory.h"

namespace gles_delegate {
namespace {

using Resize = decltype(TfLiteContext::ResizeTensor);

// A C callback has no other way to them.
thread_local size_t limit = std::numeric_limits<size_t>::max();
thread_local Resize runtimes_resize = nullptr;

bool IsPastLimit(const TfLiteTensor& tensor, const TfLiteIntArray& dims) {
  if (tensor.allocation_type != kTfLiteDynamic &&
      tensor.allocation_type != kTfLitePersistentRo) {
    return false;
  }
  double bytes = std::max<size_t>(1, ElementBytes(tensor.type));
  for (int i = 0; i < dims.size; ++i) bytes *= dims.data[i];
  return bytes > static_cast<double>(limit);
}

TfLiteStatus ResizeWithin(TfLiteContext* context, TfLiteTensor* tensor,
                          TfLiteIntArray* dims) {
  if (!IsPastLimit(*tensor, *dims)) {
    return runtimes_resize(context, tensor, dims);
  }
  std::free(dims);  // the runtime takes it from malloc(), and would own it
  context->ReportError(context, "a tensor takes more than %zu bytes", limit);
  return kTfLiteError;
}

}  // namespace

ResizeLimit::ResizeLimit(TfLiteContext* context, size_t bytes)
    : context_(context), before_(context->ResizeTensor), limit_before_(limit) {
  limit = std::min(limit, bytes);
  if (before_ == ResizeWithin) return;
  runtimes_resize = before_;
  context_->ResizeTensor = ResizeWithin;
}

ResizeLimit::~ResizeLimit() {
  context_->ResizeTensor = before_;
  limit = limit_before_;
}

}  // namespace gles_delegate
