#include "delegate/tflite/abi.h"

#include <cstring>

#include "delegate/tflite/runtime.h"

namespace gles_delegate {
namespace {

// Calls the runtime's function with the first bytes of `registration`, as many
// as Registration has.
template <typename Registration>
TfLiteStatus CallWith(TfLiteContext* context,
                      const NewestRegistration& registration,
                      const TfLiteIntArray* nodes, TfLiteDelegate* delegate) {
  static_assert(sizeof(Registration) <= sizeof(registration));
  Registration beginning;
  std::memcpy(&beginning, &registration, sizeof(beginning));
  using Call = TfLiteStatus (*)(TfLiteContext*, Registration,
                                const TfLiteIntArray*, TfLiteDelegate*);
  // memcpy, since a cast between these function types would warn.
  Call call;
  static_assert(sizeof(call) ==
                sizeof(context->ReplaceNodeSubsetsWithDelegateKernels));
  std::memcpy(&call, &context->ReplaceNodeSubsetsWithDelegateKernels,
              sizeof(call));
  return call(context, beginning, nodes, delegate);
}

#if !defined(__x86_64__) && !defined(__aarch64__)
template <int kPointers>
struct LongerRegistration {
  TfLiteRegistration base;
  void* appended[kPointers];
};

// 0: unknown, and older than 2.14.
int RegistrationBytes(TfLiteContext* context) {
  const int bytes = RegistrationBytesOf(context);
  return bytes == 0 && IsRuntimeOf214(*context)
             ? static_cast<int>(sizeof(NewestRegistration))
             : bytes;
}
#endif

}  // namespace

TfLiteStatus ReplaceNodes(TfLiteContext* context,
                          const NewestRegistration& registration,
                          const TfLiteIntArray* nodes,
                          TfLiteDelegate* delegate) {
#if !defined(__x86_64__) && !defined(__aarch64__)
  switch (RegistrationBytes(context)) {
    case 0:
    case sizeof(TfLiteRegistration):
      return CallWith<TfLiteRegistration>(context, registration, nodes,
                                          delegate);
    case sizeof(LongerRegistration<1>):
      return CallWith<LongerRegistration<1>>(context, registration, nodes,
                                             delegate);
    case sizeof(LongerRegistration<2>):
      return CallWith<LongerRegistration<2>>(context, registration, nodes,
                                             delegate);
    default:
      break;
  }
#endif
  return CallWith<NewestRegistration>(context, registration, nodes, delegate);
}

}  // namespace gles_delegate
