// TFLite's optimised CPU kernels, as a delegate that the C library exports.
#include <cstdint>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "tools/common/tflite_abi.h"
#include "tools/common/tflite_host.h"
#include "tools/common/tflite_library.h"

namespace gles_delegate {
namespace {

// Flags: nodes of int8, of uint8.
constexpr uint32_t kQs8 = 1;
constexpr uint32_t kQu8 = 2;

uint32_t FlagsFor(XnnpackQuantized quantized) {
  switch (quantized) {
    case XnnpackQuantized::kInt8AndUint8:
      return kQs8 | kQu8;
    case XnnpackQuantized::kInt8:
      return kQs8;
    case XnnpackQuantized::kNone:
      break;
  }
  return 0;
}

// TfLiteXNNPackDelegateOptions of 2.9.
struct Options29 {
  int32_t num_threads;
  uint32_t flags;
  void* weights_cache;
};

// The struct of a newer version, whose members behind the first one differ from
// version to version, so that only the library writes them. It is longer than
// two registers, so that a function that returns it writes to memory that the
// caller gives, whatever its exact size is.
struct NewerOptions {
  int32_t num_threads;
  uint32_t others[255];
};

template <typename Function>
Function* Optional(const char* name) {
  void* address = TfliteSymbol(name);
  Function* function = nullptr;
  std::memcpy(&function, &address, sizeof(function));
  return function;
}

absl::StatusOr<DelegatePtr> Own(TfLiteDelegate* delegate) {
  if (delegate == nullptr) {
    return absl::UnavailableError(
        "TfLiteXNNPackDelegateCreate returned NULL; XNNPACK does not support "
        "this processor");
  }
  return DelegatePtr(delegate, TfLiteXNNPackDelegateDelete);
}

}  // namespace

absl::StatusOr<DelegatePtr> CreateXnnpackDelegate(int num_threads,
                                                  XnnpackQuantized quantized) {
  if (TfliteSymbol("TfLiteXNNPackDelegateCreate") == nullptr) {
    return absl::UnavailableError(
        absl::StrCat("TensorFlow Lite ", TfLiteVersion(), " (",
                     TfliteLibraryPath(), ") was built without XNNPACK"));
  }
  auto* get_flags =
      Optional<uint32_t(TfLiteDelegate*)>("TfLiteXNNPackDelegateGetFlags");
  auto* defaults =
      Optional<NewerOptions()>("TfLiteXNNPackDelegateOptionsDefault");
  const uint32_t wanted = FlagsFor(quantized);
  if (get_flags == nullptr || defaults == nullptr) {
    // Members that a version before get_flags appended are zero.
    struct {
      Options29 options;
      uint64_t appended[8];
    } options = {{num_threads, wanted, nullptr}, {}};
    return Own(TfLiteXNNPackDelegateCreate(&options));
  }
  NewerOptions options = defaults();
  options.num_threads = num_threads;
  auto delegate = Own(TfLiteXNNPackDelegateCreate(&options));
  if (!delegate.ok()) return delegate;
  const uint32_t flags = get_flags(delegate->get());
  if ((flags & wanted) != wanted) {
    return absl::FailedPreconditionError(absl::StrCat(
        "TensorFlow Lite ", TfLiteVersion(), "'s XNNPACK has the flags ", flags,
        " by default; its kernels for int8 and uint8 need ", wanted));
  }
  return delegate;
}

}  // namespace gles_delegate
