// The newest layout of TFLite's delegate structs. The delegate makes its
// structs that long and zeroes them, so that one binary serves runtimes
// from 2.5 to LiteRT 2.x: an older runtime reads the beginning, and a newer one
// finds zeros where it looks for the members that it has appended.
#ifndef GLES_DELEGATE_DELEGATE_TFLITE_ABI_H_
#define GLES_DELEGATE_DELEGATE_TFLITE_ABI_H_

#include <cstdint>

#include "tensorflow/lite/c/common.h"

namespace gles_delegate {

// TfLiteDelegate of 2.9 with what later versions appended.
struct NewestDelegate {
  TfLiteDelegate base;
  void* opaque_delegate_builder;
  void* reserved[8];  // for what is appended next
};

// TfLiteRegistration of 2.9 with what later versions appended.
struct NewestRegistration {
  TfLiteRegistration base;
  void* registration_external;
  void* async_kernel;
  uint64_t inplace_operator;
};

// Calls context->ReplaceNodeSubsetsWithDelegateKernels, which takes a
// TfLiteRegistration by value, of the size that the runtime was compiled with.
// A struct that is longer than the runtime's is safe on x86-64, where it is
// copied to the stack and the other arguments are in registers, and on AArch64,
// where it is passed by reference. Elsewhere a struct of 2.9's size is passed.
TfLiteStatus ReplaceNodes(TfLiteContext* context,
                          const NewestRegistration& registration,
                          const TfLiteIntArray* nodes,
                          TfLiteDelegate* delegate);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_ABI_H_
