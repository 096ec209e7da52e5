// Reference CPU kernels of custom ops that on-device vision models use and
// stock TFLite lacks. They are the oracle for the delegate and run nodes that
// stay on the CPU, so they are written for clarity, not speed.
// TfLiteGlesDelegateCustomOps() provides them to apps. Also TFLite's structs as
// newer runtimes have them.
//
// To add one, add its two functions and its rows. Definitions: MediaPipe's
// mediapipe/util/tflite/operations.
#ifndef GLES_DELEGATE_DELEGATE_CPU_OPS_CUSTOM_OPS_H_
#define GLES_DELEGATE_DELEGATE_CPU_OPS_CUSTOM_OPS_H_

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#include "absl/types/span.h"
#include "gles_delegate/gles_delegate.h"
#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// All custom ops. Kernels do not see their node's version, so different
// versions have separate rows.
absl::Span<const TfLiteGlesCustomOp> CustomOps();

// --- TFLite's structs --------------------------------------------------------

// The newest layout of TFLite's delegate structs, and its array of integers.
// The delegate allocates structs of this size and zeroes them, so that one
// binary works with runtimes from 2.5 to LiteRT 2.x: older ones read only the
// beginning, newer ones find zeros in the members that they appended.

// TfLiteDelegate of 2.9 with members appended later.
struct NewestDelegate {
  TfLiteDelegate base;
  void* opaque_delegate_builder;
  void* reserved[8];  // for what is appended next
};

// TfLiteRegistration of 2.9 with members appended later.
struct NewestRegistration {
  TfLiteRegistration base;
  void* registration_external;
  void* async_kernel;
  uint64_t inplace_operator;
};

// TFLite's own array {int size; int data[]}, by malloc(): no TFLite symbol is
// linked, and the runtime frees the arrays that it is given. nullptr: no
// memory.
inline TfLiteIntArray* NewIntArray(absl::Span<const int> values) {
  auto* array = static_cast<TfLiteIntArray*>(
      std::malloc(sizeof(int) * (values.size() + 1)));
  if (array == nullptr) return nullptr;
  array->size = static_cast<int>(values.size());
  std::copy(values.begin(), values.end(), array->data);
  return array;
}
struct FreeIntArray {
  void operator()(TfLiteIntArray* array) const { std::free(array); }
};
using IntArrayPtr = std::unique_ptr<TfLiteIntArray, FreeIntArray>;
// Throws bad_alloc.
inline IntArrayPtr MakeIntArray(absl::Span<const int> values) {
  IntArrayPtr array(NewIntArray(values));
  if (array == nullptr) throw std::bad_alloc();
  return array;
}

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_CPU_OPS_CUSTOM_OPS_H_
