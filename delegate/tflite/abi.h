// The newest layout of TFLite's delegate structs. The delegate allocates
// structs of this size and zeroes them, so that one binary works with runtimes
// from 2.5 to LiteRT 2.x: older ones read only the beginning, newer ones find
// zeros in the members that they appended.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_ABI_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_ABI_H_

#include <cstdint>

#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

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

// Calls context->ReplaceNodeSubsetsWithDelegateKernels, which takes a
// TfLiteRegistration by value, with the runtime's size. A longer struct is safe
// on x86-64, where it is copied to the stack and the other arguments are in
// registers, and on AArch64, which passes it by reference. On other platforms
// (32-bit ARM) the arguments behind it move with its size, so it gets the size
// that the runtime is seen to have.
TfLiteStatus ReplaceNodes(TfLiteContext* context,
                          const NewestRegistration& registration,
                          const TfLiteIntArray* nodes,
                          TfLiteDelegate* delegate);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_ABI_H_
