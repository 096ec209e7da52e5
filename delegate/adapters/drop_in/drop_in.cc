// The stock GPU delegate's functions, by those of libgles_delegate.so.
#include <cstdio>
#include <exception>
#include <string>

#include "absl/strings/strip.h"
#include "delegate/adapters/drop_in/stock_options.h"
#include "gles_delegate/gles_delegate.h"
#include "tensorflow/lite/delegates/gpu/delegate.h"

namespace {

using gles_delegate::drop_in::FromOlder;
using gles_delegate::drop_in::FromV2;
using gles_delegate::drop_in::Mapped;

// The library that users see.
constexpr char kName[] = "libtensorflowlite_gpu_delegate (gles_delegate)";

void Warn(const std::string& text) {
  std::fprintf(stderr, "WARNING: %s: %s.\n", kName, text.c_str());
}

// Why the call before failed, without the name that is put before it again.
const char* LastError() {
  return absl::StripPrefix(TfLiteGlesDelegateLastError(),
                           "TfLiteGlesDelegate: ")
      .data();
}

// fn's result; NULL if memory ends.
template <typename Fn>
TfLiteDelegate* Guarded(const Fn& fn) {
  try {
    return fn();
  } catch (const std::exception&) {
    return nullptr;
  }
}

// Without `report_error`, NULL only if memory ends: callers of the stock
// delegate do not look.
TfLiteDelegate* Create(const Mapped& mapped,
                       void (*report_error)(const char*) = nullptr) {
  std::string reason = mapped.refusal;
  if (reason.empty()) {
    if (auto* delegate = TfLiteGlesDelegateCreate(&mapped.options)) {
      for (const std::string& warning : mapped.warnings) Warn(warning);
      return delegate;
    }
    reason = LastError();
  }
  if (report_error == nullptr) {
    return TfLiteGlesDelegateCreateRefusal(reason.c_str());
  }
  report_error(reason.c_str());
  return nullptr;
}

}  // namespace

TfLiteGpuDelegateOptionsV2 TfLiteGpuDelegateOptionsV2Default(void) {
  TfLiteGpuDelegateOptionsV2 options = {};
  options.is_precision_loss_allowed = -1;
  options.inference_preference =
      TFLITE_GPU_INFERENCE_PREFERENCE_FAST_SINGLE_ANSWER;
  options.inference_priority1 = TFLITE_GPU_INFERENCE_PRIORITY_MAX_PRECISION;
  options.inference_priority2 = TFLITE_GPU_INFERENCE_PRIORITY_AUTO;
  options.inference_priority3 = TFLITE_GPU_INFERENCE_PRIORITY_AUTO;
  options.experimental_flags = TFLITE_GPU_EXPERIMENTAL_FLAGS_ENABLE_QUANT;
  options.max_delegated_partitions = 1;
  return options;
}

TfLiteDelegate* TfLiteGpuDelegateV2Create(
    const TfLiteGpuDelegateOptionsV2* options) {
  return Guarded([options] {
    return Create(FromV2(
        options == nullptr ? TfLiteGpuDelegateOptionsV2Default() : *options));
  });
}

TfLiteDelegate* TfLiteGpuDelegateV2CreateAsync(
    const TfLiteGpuDelegateOptionsV2* options) {
  return Guarded([options] {
    Warn("there are no asynchronous kernels: Invoke waits for the results");
    return TfLiteGpuDelegateV2Create(options);
  });
}

void TfLiteGpuDelegateV2Delete(TfLiteDelegate* delegate) {
  TfLiteGlesDelegateDelete(delegate);
}

TfLiteStatus TfLiteGpuDelegateBindBufferToTensor(TfLiteDelegate* delegate,
                                                 uint32_t buffer,
                                                 int tensor_index) {
  TfLiteGlesObject object = TfLiteGlesDelegateObjectDefault();
  object.name = buffer;
  if (TfLiteGlesDelegateBindObject(delegate, tensor_index, &object) ==
      kTfLiteOk) {
    return kTfLiteOk;
  }
  std::fprintf(stderr, "ERROR: %s: buffer %u is not bound to tensor %d: %s.\n",
               kName, buffer, tensor_index, LastError());
  return kTfLiteError;
}

TFLGpuDelegateOptions TFLGpuDelegateOptionsDefault(void) {
  return {/*allow_precision_loss=*/false, TFLGpuDelegateWaitTypePassive,
          /*enable_quantization=*/false};
}

TfLiteDelegate* TFLGpuDelegateCreate(const TFLGpuDelegateOptions* options) {
  return Guarded([options] {
    return Create(FromOlder(options == nullptr ? TFLGpuDelegateOptionsDefault()
                                               : *options));
  });
}

void TFLGpuDelegateDelete(TfLiteDelegate* delegate) {
  TfLiteGlesDelegateDelete(delegate);
}

TfLiteDelegate* tflite_plugin_create_delegate(
    char** options_keys, char** options_values, size_t num_options,
    void (*report_error)(const char*)) {
  return Guarded([&] {
    TfLiteGpuDelegateOptionsV2 options = TfLiteGpuDelegateOptionsV2Default();
    const std::string wrong = gles_delegate::drop_in::SetStockKeys(
        options_keys, options_values, num_options, &options);
    Mapped mapped = FromV2(options);
    if (!wrong.empty()) mapped.refusal = wrong;
    return Create(mapped, report_error);
  });
}

void tflite_plugin_destroy_delegate(TfLiteDelegate* delegate) {
  TfLiteGlesDelegateDelete(delegate);
}
