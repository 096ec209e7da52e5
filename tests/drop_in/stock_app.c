// An app that was written for TensorFlow Lite's GPU delegate: it knows that
// delegate's header and TFLite's, and is linked with
// libtensorflowlite_gpu_delegate.so.
//
//   stock_app MODEL HOW
//
// runs the model on the CPU and with the delegate, and prints the largest
// output of the CPU and the largest difference. HOW: default, null, latency,
// quantization_off, cl_only, async, older, older_precision_loss. Ends with 1
// where something fails.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensorflow/lite/c/c_api.h"
#include "tensorflow/lite/delegates/gpu/delegate.h"

enum { kMost = 1 << 16 };

static int Is(const char* how, const char* name) {
  return strcmp(how, name) == 0;
}

static TfLiteDelegate* MakeDelegate(const char* how) {
  TfLiteGpuDelegateOptionsV2 options = TfLiteGpuDelegateOptionsV2Default();
  TFLGpuDelegateOptions older = TFLGpuDelegateOptionsDefault();
  if (Is(how, "null")) return TfLiteGpuDelegateV2Create(NULL);
  if (Is(how, "async")) return TfLiteGpuDelegateV2CreateAsync(&options);
  if (Is(how, "older")) return TFLGpuDelegateCreate(NULL);
  if (Is(how, "older_precision_loss")) {
    older.allow_precision_loss = true;
    return TFLGpuDelegateCreate(&older);
  }
  if (Is(how, "latency")) {
    options.inference_priority1 = TFLITE_GPU_INFERENCE_PRIORITY_MIN_LATENCY;
  } else if (Is(how, "quantization_off")) {
    options.experimental_flags = TFLITE_GPU_EXPERIMENTAL_FLAGS_NONE;
  } else if (Is(how, "cl_only")) {
    options.experimental_flags |= TFLITE_GPU_EXPERIMENTAL_FLAGS_CL_ONLY;
  }
  return TfLiteGpuDelegateV2Create(&options);
}

static void Delete(const char* how, TfLiteDelegate* delegate) {
  if (strncmp(how, "older", 5) == 0) {
    TFLGpuDelegateDelete(delegate);
  } else {
    TfLiteGpuDelegateV2Delete(delegate);
  }
}

static void Report(void* user_data, const char* format, va_list args) {
  (void)user_data;
  vprintf(format, args);
  printf("\n");
}

// Writes the first output to `values` and returns how many there are; -1: a
// failure.
static int Run(const TfLiteModel* model, TfLiteDelegate* delegate,
               float* values) {
  static float input[kMost];
  TfLiteInterpreterOptions* options = TfLiteInterpreterOptionsCreate();
  TfLiteInterpreterOptionsSetErrorReporter(options, Report, NULL);
  if (delegate != NULL) TfLiteInterpreterOptionsAddDelegate(options, delegate);
  TfLiteInterpreter* interpreter = TfLiteInterpreterCreate(model, options);
  TfLiteInterpreterOptionsDelete(options);
  if (interpreter == NULL) return -1;
  int count = -1;
  if (TfLiteInterpreterAllocateTensors(interpreter) == kTfLiteOk) {
    TfLiteTensor* in = TfLiteInterpreterGetInputTensor(interpreter, 0);
    const TfLiteTensor* out = TfLiteInterpreterGetOutputTensor(interpreter, 0);
    const size_t in_bytes = TfLiteTensorByteSize(in),
                 out_bytes = TfLiteTensorByteSize(out);
    for (int i = 0; i < kMost; ++i) {
      input[i] = (float)(i * 37 % 101) / 50.0f - 1.0f;
    }
    if (in_bytes <= sizeof(input) && out_bytes <= kMost * sizeof(float) &&
        TfLiteTensorCopyFromBuffer(in, input, in_bytes) == kTfLiteOk &&
        TfLiteInterpreterInvoke(interpreter) == kTfLiteOk &&
        TfLiteTensorCopyToBuffer(out, values, out_bytes) == kTfLiteOk) {
      count = (int)(out_bytes / sizeof(float));
    }
  }
  TfLiteInterpreterDelete(interpreter);
  return count;
}

int main(int argc, char** argv) {
  static float cpu[kMost], gpu[kMost];
  if (argc != 3) return 2;
  TfLiteModel* model = TfLiteModelCreateFromFile(argv[1]);
  if (model == NULL) return 1;
  TfLiteDelegate* delegate = MakeDelegate(argv[2]);
  const int count = Run(model, NULL, cpu);
  const int delegated = Run(model, delegate, gpu);
  Delete(argv[2], delegate);
  TfLiteModelDelete(model);
  if (count <= 0 || delegated != count) {
    printf("FAILED: %d values of the CPU, %d of the delegate\n", count,
           delegated);
    return 1;
  }
  float largest = 0, difference = 0;
  for (int i = 0; i < count; ++i) {
    largest = fmaxf(largest, fabsf(cpu[i]));
    difference = fmaxf(difference, fabsf(cpu[i] - gpu[i]));
  }
  printf("largest %.9g difference %.9g\n", (double)largest, (double)difference);
  return 0;
}
