// An app's binary depends on these: the stock GPU delegate's layouts and
// numbers, on machines with pointers of 64 bits. It is compiled as C and as
// C++, and never run.
#include <assert.h>
#include <stddef.h>

#include "tensorflow/lite/delegates/gpu/delegate.h"

#define OFFSET(field, bytes) \
  static_assert(offsetof(TfLiteGpuDelegateOptionsV2, field) == (bytes), #field)
static_assert(sizeof(void*) == 8, "the offsets below are those of 64 bits");
OFFSET(is_precision_loss_allowed, 0);
OFFSET(inference_preference, 4);
OFFSET(inference_priority1, 8);
OFFSET(inference_priority2, 12);
OFFSET(inference_priority3, 16);
OFFSET(experimental_flags, 24);
OFFSET(max_delegated_partitions, 32);
OFFSET(serialization_dir, 40);
OFFSET(model_token, 48);
static_assert(sizeof(TfLiteGpuDelegateOptionsV2) == 56, "");

static_assert(offsetof(TFLGpuDelegateOptions, allow_precision_loss) == 0, "");
static_assert(offsetof(TFLGpuDelegateOptions, wait_type) == 4, "");
static_assert(offsetof(TFLGpuDelegateOptions, enable_quantization) == 8, "");
static_assert(sizeof(TFLGpuDelegateOptions) == 12, "");

#define NUMBER(name, value) static_assert((name) == (value), #name)
NUMBER(TFLITE_GPU_INFERENCE_PREFERENCE_FAST_SINGLE_ANSWER, 0);
NUMBER(TFLITE_GPU_INFERENCE_PREFERENCE_SUSTAINED_SPEED, 1);
NUMBER(TFLITE_GPU_INFERENCE_PREFERENCE_BALANCED, 2);
NUMBER(TFLITE_GPU_INFERENCE_PRIORITY_AUTO, 0);
NUMBER(TFLITE_GPU_INFERENCE_PRIORITY_MAX_PRECISION, 1);
NUMBER(TFLITE_GPU_INFERENCE_PRIORITY_MIN_LATENCY, 2);
NUMBER(TFLITE_GPU_INFERENCE_PRIORITY_MIN_MEMORY_USAGE, 3);
NUMBER(TFLITE_GPU_EXPERIMENTAL_FLAGS_NONE, 0);
NUMBER(TFLITE_GPU_EXPERIMENTAL_FLAGS_ENABLE_QUANT, 1);
NUMBER(TFLITE_GPU_EXPERIMENTAL_FLAGS_CL_ONLY, 2);
NUMBER(TFLITE_GPU_EXPERIMENTAL_FLAGS_GL_ONLY, 4);
NUMBER(TFLITE_GPU_EXPERIMENTAL_FLAGS_ENABLE_SERIALIZATION, 8);
NUMBER(TFLGpuDelegateWaitTypePassive, 0);
NUMBER(TFLGpuDelegateWaitTypeActive, 1);
NUMBER(TFLGpuDelegateWaitTypeDoNotWait, 2);
NUMBER(TFLGpuDelegateWaitTypeAggressive, 3);
