// The C API of TensorFlow Lite's own GPU delegate, as implemented by
// gles_delegate's libtensorflowlite_gpu_delegate.so: apps written for that
// delegate run on OpenGL ES 3.1 compute shaders unchanged. Names, layouts and
// numbers are the stock delegate's; comments here and docs/drop_in.md give
// their meaning.
//
//   TfLiteGpuDelegateOptionsV2 options = TfLiteGpuDelegateOptionsV2Default();
//   TfLiteDelegate* delegate = TfLiteGpuDelegateV2Create(&options);
//   TfLiteInterpreterOptionsAddDelegate(interpreter_options, delegate);
//   ...
//   TfLiteGpuDelegateV2Delete(delegate);
//
// No function returns NULL for a delegate. If a request cannot be met, applying
// the returned delegate fails and the interpreter's error reporter says why, as
// with the stock delegate. Warnings go to stderr.
//
// Threads: create and delete on any thread; otherwise see gles_delegate.h.
#ifndef TENSORFLOW_LITE_DELEGATES_GPU_DELEGATE_H_
#define TENSORFLOW_LITE_DELEGATES_GPU_DELEGATE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tensorflow/lite/c/common.h"

#if defined(_WIN32)
#define GLES_DROP_IN_EXPORT __declspec(dllexport)
#else
#define GLES_DROP_IN_EXPORT __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

// --- The current delegate: TfLiteGpuDelegateV2 -------------------------------

// TfLiteGpuDelegateOptionsV2::inference_preference.
enum TfLiteGpuInferenceUsage {
  // All three are the same here: the program gles_tune searches fast settings.
  TFLITE_GPU_INFERENCE_PREFERENCE_FAST_SINGLE_ANSWER = 0,
  TFLITE_GPU_INFERENCE_PREFERENCE_SUSTAINED_SPEED = 1,
  TFLITE_GPU_INFERENCE_PREFERENCE_BALANCED = 2,
};

// TfLiteGpuDelegateOptionsV2::inference_priority1 to 3. Only the first matters
// here: anything but MAX_PRECISION stores tensors in 16-bit floats, and
// MIN_LATENCY makes Invoke poll for the results (wait_type: active). AUTO
// leaves the choice to the delegate; it cannot be the first, and must be
// followed by AUTO.
enum TfLiteGpuInferencePriority {
  TFLITE_GPU_INFERENCE_PRIORITY_AUTO = 0,
  TFLITE_GPU_INFERENCE_PRIORITY_MAX_PRECISION = 1,
  TFLITE_GPU_INFERENCE_PRIORITY_MIN_LATENCY = 2,
  TFLITE_GPU_INFERENCE_PRIORITY_MIN_MEMORY_USAGE = 3,
};

// TfLiteGpuDelegateOptionsV2::experimental_flags, a bitmask.
enum TfLiteGpuExperimentalFlags {
  TFLITE_GPU_EXPERIMENTAL_FLAGS_NONE = 0,
  // Quantized models run on the GPU.
  TFLITE_GPU_EXPERIMENTAL_FLAGS_ENABLE_QUANT = 1 << 0,
  // OpenCL only: not available, so the delegate cannot be applied.
  TFLITE_GPU_EXPERIMENTAL_FLAGS_CL_ONLY = 1 << 1,
  // OpenGL only: always true of this delegate.
  TFLITE_GPU_EXPERIMENTAL_FLAGS_GL_ONLY = 1 << 2,
  // Saves programs and weights in serialization_dir for the next start.
  TFLITE_GPU_EXPERIMENTAL_FLAGS_ENABLE_SERIALIZATION = 1 << 3,
};

typedef struct {
  // 1: tensors and weights are stored in 16-bit floats. 0: in 32 bits. -1 (the
  // default): according to inference_priority1.
  int32_t is_precision_loss_allowed;
  // TfLiteGpuInferenceUsage. Default FAST_SINGLE_ANSWER.
  int32_t inference_preference;
  // TfLiteGpuInferencePriority, the most important first. Defaults
  // MAX_PRECISION, AUTO, AUTO.
  int32_t inference_priority1;
  int32_t inference_priority2;
  int32_t inference_priority3;
  // TfLiteGpuExperimentalFlags. Default ENABLE_QUANT.
  int64_t experimental_flags;
  // Maximum number of partitions to delegate, largest first. 0 or less: no
  // limit. Default 1.
  int32_t max_delegated_partitions;
  // Used with ENABLE_SERIALIZATION: an existing directory of the app, and the
  // model's name among those that share it. Default NULL. Copied.
  const char* serialization_dir;
  const char* model_token;
} TfLiteGpuDelegateOptionsV2;

// The defaults given above.
GLES_DROP_IN_EXPORT TfLiteGpuDelegateOptionsV2
TfLiteGpuDelegateOptionsV2Default(void);

// Creates a delegate. The caller owns it and deletes it with
// TfLiteGpuDelegateV2Delete after its interpreters. `options` may be NULL and
// is copied.
GLES_DROP_IN_EXPORT TfLiteDelegate* TfLiteGpuDelegateV2Create(
    const TfLiteGpuDelegateOptionsV2* options);

// The same: there are no asynchronous kernels, so Invoke waits for the results.
// A warning says so.
GLES_DROP_IN_EXPORT TfLiteDelegate* TfLiteGpuDelegateV2CreateAsync(
    const TfLiteGpuDelegateOptionsV2* options);

// NULL is allowed.
GLES_DROP_IN_EXPORT void TfLiteGpuDelegateV2Delete(TfLiteDelegate* delegate);

// Binds a buffer of the app's OpenGL ES context to a model input or output,
// given by its tensor index: Invoke reads or writes it there as float32 in BHWC
// order (for quantized tensors, too) instead of the tensor's own memory. Call
// it before or after applying the delegate; the context must be current when it
// is applied. kTfLiteError, with the reason on stderr, if it can never work;
// later errors make Invoke fail.
GLES_DROP_IN_EXPORT TfLiteStatus TfLiteGpuDelegateBindBufferToTensor(
    TfLiteDelegate* delegate, uint32_t buffer, int tensor_index);

// --- The older options: TFLGpuDelegate ---------------------------------------

// How Invoke waits for the GPU.
typedef enum {
  TFLGpuDelegateWaitTypePassive = 0,  // asleep
  TFLGpuDelegateWaitTypeActive = 1,   // polls, then sleeps
  // As Passive, with a warning: outputs go to host memory, so Invoke has to
  // wait.
  TFLGpuDelegateWaitTypeDoNotWait = 2,
  TFLGpuDelegateWaitTypeAggressive = 3,  // polls, and never sleeps
} TFLGpuDelegateWaitType;

typedef struct {
  bool allow_precision_loss;  // 16-bit floats. Default false.
  // Default TFLGpuDelegateWaitTypePassive.
  TFLGpuDelegateWaitType wait_type;
  bool enable_quantization;  // Quantized models run on the GPU. Default false.
} TFLGpuDelegateOptions;

GLES_DROP_IN_EXPORT TFLGpuDelegateOptions TFLGpuDelegateOptionsDefault(void);

// Like TfLiteGpuDelegateV2Create, with these options.
GLES_DROP_IN_EXPORT TfLiteDelegate* TFLGpuDelegateCreate(
    const TFLGpuDelegateOptions* options);

// NULL is allowed.
GLES_DROP_IN_EXPORT void TFLGpuDelegateDelete(TfLiteDelegate* delegate);

// --- TensorFlow Lite's external-delegate interface ---------------------------

// NOLINTBEGIN(readability-redundant-declaration): gles_delegate.h has them, too

// The keys are the fields of TfLiteGpuDelegateOptionsV2. An unknown key or a
// value that is not a number: NULL after report_error(message). If report_error
// is NULL, a delegate that cannot be applied.
GLES_DROP_IN_EXPORT TfLiteDelegate* tflite_plugin_create_delegate(
    char** options_keys, char** options_values, size_t num_options,
    void (*report_error)(const char*));
GLES_DROP_IN_EXPORT void tflite_plugin_destroy_delegate(
    TfLiteDelegate* delegate);

// NOLINTEND(readability-redundant-declaration)

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // TENSORFLOW_LITE_DELEGATES_GPU_DELEGATE_H_
