#include "delegate/tflite/abi.h"

#include <cstring>

namespace gles_delegate {

TfLiteStatus ReplaceNodes(TfLiteContext* context,
                          const NewestRegistration& registration,
                          const TfLiteIntArray* nodes,
                          TfLiteDelegate* delegate) {
#if defined(__x86_64__) || defined(__aarch64__)
  using LongerCall = TfLiteStatus (*)(TfLiteContext*, NewestRegistration,
                                      const TfLiteIntArray*, TfLiteDelegate*);
  // memcpy, since a cast between these function types would warn.
  LongerCall call;
  static_assert(sizeof(call) ==
                sizeof(context->ReplaceNodeSubsetsWithDelegateKernels));
  std::memcpy(&call, &context->ReplaceNodeSubsetsWithDelegateKernels,
              sizeof(call));
  return call(context, registration, nodes, delegate);
#else
  return context->ReplaceNodeSubsetsWithDelegateKernels(
      context, registration.base, nodes, delegate);
#endif
}

}  // namespace gles_delegate
