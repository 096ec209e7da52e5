#include "delegate/tflite/tensor_room.h"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace gles_delegate {

TensorRoom::TensorRoom(TfLiteContext* context)
    : context_(context),
      capacity_(std::max<size_t>(128, context->tensors_size)) {}

absl::Status TensorRoom::Ensure() {
  constexpr size_t kRoom = 16;
  while (context_->tensors_size + kRoom > capacity_) {
    const TfLiteTensor* before = context_->tensors;
    const size_t size = context_->tensors_size;
    // One more than is known to fit: tensors that nothing uses.
    const int more =
        size < capacity_ ? static_cast<int>(capacity_ - size) + 1 : 1;
    if (context_->AddTensors(context_, more, nullptr) != kTfLiteOk) {
      return absl::InternalError("the runtime adds no tensors");
    }
    MakeEmpty(size);
    capacity_ = context_->tensors == before
                    ? context_->tensors_size
                    : std::max(context_->tensors_size, 2 * size);
  }
  return absl::OkStatus();
}

// Gives the new tensors, from `first` on, a type and a shape. Without these an
// app that reads every tensor (in Python, get_tensor()) would crash.
void TensorRoom::MakeEmpty(size_t first) {
  for (size_t i = first; i < context_->tensors_size; ++i) {
    TfLiteTensor& tensor = context_->tensors[i];
    // TFLite's own array {int size; int data[]}, which TFLite frees.
    auto* dims = static_cast<TfLiteIntArray*>(std::malloc(2 * sizeof(int)));
    if (dims == nullptr) throw std::bad_alloc();
    dims->size = 1;
    dims->data[0] = 0;
    tensor.dims = dims;
    tensor.type = kTfLiteInt8;
  }
}

}  // namespace gles_delegate
