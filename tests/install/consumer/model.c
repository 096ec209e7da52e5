// Runs a model on the CPU and with the delegate that is linked into this
// program, and says how far apart the answers are.
//
//   model MODEL.tflite
#include <gles_delegate/gles_delegate.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <tensorflow/lite/c/c_api.h>

// The first output's `count` floats for a ramp; NULL where it fails.
static float* Run(TfLiteModel* model, struct TfLiteDelegate* delegate,
                  size_t* count) {
  TfLiteInterpreterOptions* options = TfLiteInterpreterOptionsCreate();
  if (delegate != NULL) TfLiteInterpreterOptionsAddDelegate(options, delegate);
  TfLiteInterpreter* interpreter = TfLiteInterpreterCreate(model, options);
  TfLiteInterpreterOptionsDelete(options);
  if (interpreter == NULL ||
      TfLiteInterpreterAllocateTensors(interpreter) != kTfLiteOk) {
    return NULL;
  }
  TfLiteTensor* input = TfLiteInterpreterGetInputTensor(interpreter, 0);
  float* values = TfLiteTensorData(input);
  const size_t inputs = TfLiteTensorByteSize(input) / sizeof(float);
  for (size_t i = 0; i < inputs; ++i) values[i] = (float)i / (float)inputs;
  if (TfLiteInterpreterInvoke(interpreter) != kTfLiteOk) return NULL;
  const TfLiteTensor* output = TfLiteInterpreterGetOutputTensor(interpreter, 0);
  *count = TfLiteTensorByteSize(output) / sizeof(float);
  float* copy = malloc(*count * sizeof(float));
  TfLiteTensorCopyToBuffer(output, copy, *count * sizeof(float));
  TfLiteInterpreterDelete(interpreter);
  return copy;
}

int main(int argc, char** argv) {
  TfLiteModel* model = argc > 1 ? TfLiteModelCreateFromFile(argv[1]) : NULL;
  if (model == NULL) return 2;
  const TfLiteGlesDelegateOptions options = TfLiteGlesDelegateOptionsDefault();
  if (!TfLiteGlesDelegateIsSupported(&options)) {
    printf("no device: %s\n", TfLiteGlesDelegateLastError());
    return 77;
  }
  struct TfLiteDelegate* delegate = TfLiteGlesDelegateCreate(&options);
  size_t count = 0;
  float* cpu = Run(model, NULL, &count);
  float* gpu = Run(model, delegate, &count);
  if (cpu == NULL || gpu == NULL || count == 0) return 1;
  float largest = 0;
  for (size_t i = 0; i < count; ++i) {
    largest = fmaxf(largest, fabsf(cpu[i] - gpu[i]));
  }
  printf("%s\n", largest < 1e-5f ? "the same" : "different");
  free(cpu);
  free(gpu);
  TfLiteGlesDelegateDelete(delegate);
  TfLiteModelDelete(model);
  return 0;
}
