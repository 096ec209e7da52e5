// Room for tensors that kernels add as they prepare.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_TENSOR_ROOM_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_TENSOR_ROOM_H_

#include <cstddef>

#include "absl/status/status.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// Kernels add temporary tensors as they prepare, and keep pointers to others
// meanwhile: the array of tensors must not move under them. TFLite sees to that
// with room for 16 more before each node, and so does this, by what it can see:
// TFLite makes room for 128 tensors at first, and an array that moves has
// doubled.
class TensorRoom {
 public:
  explicit TensorRoom(TfLiteContext* context);
  absl::Status Ensure();

 private:
  void MakeEmpty(size_t first);

  TfLiteContext* context_;
  size_t capacity_;  // at least
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_TENSOR_ROOM_H_
