// The C API of TensorFlow Lite's own GPU delegate, as
// libtensorflowlite_gpu_delegate.so of gles_delegate has it: apps that were
// written for that delegate run on OpenGL ES 3.1 compute shaders without a
// change. Names, layouts and numbers are those of the stock delegate; what each
// means here stands beside it, and in docs/drop_in.md.
//
//   TfLiteGpuDelegateOptionsV2 options = TfLiteGpuDelegateOptionsV2Default();
//   TfLiteDelegate* delegate = TfLiteGpuDelegateV2Create(&options);
//   TfLiteInterpreterOptionsAddDelegate(interpreter_options, delegate);
//   ...
//   TfLiteGpuDelegateV2Delete(delegate);
//
// Nothing here returns NULL for a delegate: where a request cannot be met, the
// delegate that is returned cannot be applied, and the interpreter's error
// reporter says why, as with the stock delegate. Warnings go to stderr.
//
// Threads: creation and deletion on any thread; the rest as gles_delegate.h
// says.
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

// --- The delegate of today: TfLiteGpuDelegateV2
// -------------------------------

// TfLiteGpuDelegateOptionsV2::inference_preference.
enum TfLiteGpuInferenceUsage {
  // One answer soon: no search for fast settings.
  TFLITE_GPU_INFERENCE_PREFERENCE_FAST_SINGLE_ANSWER = 0,
  // Many inferences with one delegate. Where
  // TFLITE_GPU_EXPERIMENTAL_FLAGS_ENABLE_
  // SERIALIZATION gives a place to keep it, the fastest settings are searched
  // once
  // (tuning: exhaustive); else as FAST_SINGLE_ANSWER.
  TFLITE_GPU_INFERENCE_PREFERENCE_SUSTAINED_SPEED = 1,
  TFLITE_GPU_INFERENCE_PREFERENCE_BALANCED = 2,  // as FAST_SINGLE_ANSWER
};

// TfLiteGpuDelegateOptionsV2::inference_priority1 to 3. The first decides here:
// where it is not MAX_PRECISION, tensors are stored in 16-bit floats; where it
// is MIN_LATENCY, Invoke polls for the results (wait_type: active). AUTO leaves
// the choice to the delegate; it cannot be the first, and nothing can follow
// it.
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
  // OpenCL and nothing else: there is none here, so the delegate cannot be
  // applied.
  TFLITE_GPU_EXPERIMENTAL_FLAGS_CL_ONLY = 1 << 1,
  // OpenGL and nothing else, which is what this delegate is.
  TFLITE_GPU_EXPERIMENTAL_FLAGS_GL_ONLY = 1 << 2,
  // Programs and weights are kept in serialization_dir for the next start.
  TFLITE_GPU_EXPERIMENTAL_FLAGS_ENABLE_SERIALIZATION = 1 << 3,
};

typedef struct {
  // 1: tensors and weights are stored in 16-bit floats. 0: in 32 bits. -1 (the
  // default): as inference_priority1 says.
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
  // At most so many partitions run on the GPU, those of the most nodes first. 0
  // or less: no limit. Default 1.
  int32_t max_delegated_partitions;
  // Read where ENABLE_SERIALIZATION is set: an existing folder of the app's
  // own, and a text that names the model among those that share it. Default
  // NULL. Copied.
  const char* serialization_dir;
  const char* model_token;
} TfLiteGpuDelegateOptionsV2;

// The defaults that stand beside the fields.
GLES_DROP_IN_EXPORT TfLiteGpuDelegateOptionsV2
TfLiteGpuDelegateOptionsV2Default(void);

// Creates a delegate, which the caller owns and deletes with
// TfLiteGpuDelegateV2Delete after the interpreters that use it. `options` may
// be NULL (defaults) and is not kept.
GLES_DROP_IN_EXPORT TfLiteDelegate* TfLiteGpuDelegateV2Create(
    const TfLiteGpuDelegateOptionsV2* options);

// The same. The delegate has no asynchronous kernels: Invoke waits for the
// results, and a warning says so.
GLES_DROP_IN_EXPORT TfLiteDelegate* TfLiteGpuDelegateV2CreateAsync(
    const TfLiteGpuDelegateOptionsV2* options);

// NULL is allowed.
GLES_DROP_IN_EXPORT void TfLiteGpuDelegateV2Delete(TfLiteDelegate* delegate);

// Binds a buffer object of the app's OpenGL ES context to an input or output of
// the model, by the model's tensor index: Invoke then reads or writes it there,
// as float32 in the order batch, height, width, channels (of quantized tensors
// too), and leaves the tensor's own memory alone. Before the delegate is
// applied or after that; the context must be current when it is applied.
// kTfLiteError, with the reason on stderr, where it can never work; what turns
// out wrong later fails Invoke.
GLES_DROP_IN_EXPORT TfLiteStatus TfLiteGpuDelegateBindBufferToTensor(
    TfLiteDelegate* delegate, uint32_t buffer, int tensor_index);

// --- The older options: TFLGpuDelegate
// ----------------------------------------

// How Invoke waits for the GPU.
typedef enum {
  TFLGpuDelegateWaitTypePassive = 0,  // asleep
  TFLGpuDelegateWaitTypeActive = 1,   // polls, then sleeps
  // As Passive: outputs go to host memory, so Invoke has to wait. A warning
  // says so.
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

// As TfLiteGpuDelegateV2Create, with these options.
GLES_DROP_IN_EXPORT TfLiteDelegate* TFLGpuDelegateCreate(
    const TFLGpuDelegateOptions* options);

// NULL is allowed.
GLES_DROP_IN_EXPORT void TFLGpuDelegateDelete(TfLiteDelegate* delegate);

// --- TensorFlow Lite's external-delegate interface
// ----------------------------

// NOLINTBEGIN(readability-redundant-declaration): gles_delegate.h has them, too

// The keys are the fields of TfLiteGpuDelegateOptionsV2. An unknown key or a
// value that is no number: NULL, with a message through report_error; where
// that is NULL, a delegate that cannot be applied.
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
