// The newest layout of TFLite's delegate structs, owned by us and zeroed, so
// that one binary serves runtimes from 2.5 to LiteRT 2.x: an older runtime
// reads a prefix, a newer one finds zeros where it looks for what it appended.
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

// context->ReplaceNodeSubsetsWithDelegateKernels takes a TfLiteRegistration by
// value, of whatever size the runtime was compiled with. On x86-64 (copied to
// the stack, the other arguments in registers) and AArch64 (passed by
// reference) a longer one is safe; elsewhere the 2.9 size is passed.
TfLiteStatus ReplaceNodes(TfLiteContext* context,
                          const NewestRegistration& registration,
                          const TfLiteIntArray* nodes,
                          TfLiteDelegate* delegate);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_TFLITE_ABI_H_
