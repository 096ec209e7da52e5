/* Classifies, detects or segments a picture on the GPU, in C:
 *
 *   look MODEL.tflite LABELS.txt PICTURE OUT.png
 *
 * The model's outputs decide which: a score per class (the five best are
 * printed), the four outputs of TFLite_Detection_PostProcess (boxes), or a
 * score per class at each pixel (a mask). OUT.png is the picture with boxes or
 * mask. Float models take pixels from -1 to 1. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gles_delegate/gles_delegate.h"
#include "picture.h"
#include "tensorflow/lite/c/c_api.h"

#define MAX_LABELS 1200
#define LABEL_SIZE 256

static char labels[MAX_LABELS][LABEL_SIZE];
static int label_count = 0;

static void Fail(const char* what, const char* why) {
  fprintf(stderr, "look: %s: %s\n", what, why);
  exit(1);
}

static void ReadLabels(const char* path) {
  FILE* file = fopen(path, "r");
  if (file == NULL) Fail(path, "cannot be opened");
  while (label_count < MAX_LABELS &&
         fgets(labels[label_count], LABEL_SIZE, file) != NULL) {
    labels[label_count][strcspn(labels[label_count], "\r\n")] = '\0';
    ++label_count;
  }
  fclose(file);
}

static const char* Label(int kind) {
  return kind >= 0 && kind < label_count ? labels[kind] : "?";
}

static void FillInput(TfLiteTensor* input, const Picture* picture) {
  const int height = TfLiteTensorDim(input, 1),
            width = TfLiteTensorDim(input, 2);
  Picture small = Resized(picture, width, height);
  const int count = width * height * 3;
  if (TfLiteTensorType(input) == kTfLiteUInt8) {
    memcpy(TfLiteTensorData(input), small.rgb, (size_t)count);
  } else if (TfLiteTensorType(input) == kTfLiteFloat32) {
    float* values = (float*)TfLiteTensorData(input);
    for (int i = 0; i < count; ++i)
      values[i] = (float)small.rgb[i] / 127.5f - 1;
  } else {
    Fail("the input", "neither float32 nor uint8");
  }
  free(small.rgb);
}

/* The tensor's values as floats; free() them. */
static float* Floats(const TfLiteTensor* tensor, int* count) {
  const TfLiteQuantizationParams params =
      TfLiteTensorQuantizationParams(tensor);
  const int is_float = TfLiteTensorType(tensor) == kTfLiteFloat32;
  if (!is_float && TfLiteTensorType(tensor) != kTfLiteUInt8) {
    Fail(TfLiteTensorName(tensor), "neither float32 nor uint8");
  }
  *count = (int)(TfLiteTensorByteSize(tensor) / (is_float ? sizeof(float) : 1));
  float* values = (float*)malloc(sizeof(float) * (size_t)*count);
  if (values == NULL) Fail("malloc", "no memory");
  for (int i = 0; i < *count; ++i) {
    values[i] =
        is_float
            ? ((const float*)TfLiteTensorData(tensor))[i]
            : params.scale *
                  (float)(((const unsigned char*)TfLiteTensorData(tensor))[i] -
                          params.zero_point);
  }
  return values;
}

static int Best(const float* scores, int count) {
  int best = 0;
  for (int i = 1; i < count; ++i) {
    if (scores[i] > scores[best]) best = i;
  }
  return best;
}

static void Classify(const TfLiteInterpreter* interpreter) {
  int count;
  float* scores =
      Floats(TfLiteInterpreterGetOutputTensor(interpreter, 0), &count);
  for (int i = 0; i < 5 && i < count; ++i) {
    const int best = Best(scores, count);
    printf("%s %.3f\n", Label(best), scores[best]);
    scores[best] = -1e30f;
  }
  free(scores);
}

static void Detect(const TfLiteInterpreter* interpreter, Picture* picture) {
  int count;
  float* outputs[4]; /* boxes, classes, scores, how many */
  for (int i = 0; i < 4; ++i) {
    outputs[i] =
        Floats(TfLiteInterpreterGetOutputTensor(interpreter, i), &count);
  }
  for (int i = 0; i < (int)outputs[3][0]; ++i) {
    if (outputs[2][i] < 0.5f) continue;
    const float* box =
        outputs[0] + 4 * i; /* top, left, bottom, right, from 0 to 1 */
    const int kind = (int)outputs[1][i];
    const float w = (float)picture->width, h = (float)picture->height;
    printf("%s %.3f at %.0f, %.0f to %.0f, %.0f\n", Label(kind), outputs[2][i],
           box[1] * w, box[0] * h, box[3] * w, box[2] * h);
    DrawBox(picture, box[1] * w, box[0] * h, box[3] * w, box[2] * h, kind);
  }
  for (int i = 0; i < 4; ++i) free(outputs[i]);
}

static void Segment(const TfLiteTensor* output, Picture* picture) {
  int count;
  const int height = TfLiteTensorDim(output, 1),
            width = TfLiteTensorDim(output, 2);
  const int kinds = TfLiteTensorDim(output, 3);
  float* scores = Floats(output, &count);
  int* pixels = (int*)calloc((size_t)kinds, sizeof(int));
  if (pixels == NULL) Fail("calloc", "no memory");
  for (int y = 0; y < picture->height; ++y) {
    for (int x = 0; x < picture->width; ++x) {
      const int at =
          y * height / picture->height * width + x * width / picture->width;
      const int kind = Best(scores + (size_t)at * kinds, kinds);
      ++pixels[kind];
      Tint(picture, x, y, kind);
    }
  }
  for (int kind = 0; kind < kinds; ++kind) {
    const double share =
        100.0 * pixels[kind] / ((double)picture->width * picture->height);
    if (share >= 1) printf("%s %.0f%%\n", Label(kind), share);
  }
  free(pixels);
  free(scores);
}

int main(int argc, char** argv) {
  const int help = argc == 2 && strcmp(argv[1], "--help") == 0;
  if (help || argc != 5) {
    fprintf(help ? stdout : stderr,
            "usage: look MODEL.tflite LABELS.txt PICTURE OUT.png\n");
    return help ? 0 : 2;
  }
  ReadLabels(argv[2]);
  Picture picture = LoadPicture(argv[3]);
  TfLiteModel* model = TfLiteModelCreateFromFile(argv[1]);
  if (model == NULL) Fail(argv[1], "cannot be read");

  TfLiteDelegate* delegate =
      TfLiteGlesDelegateCreate(NULL); /* the default options */
  if (delegate == NULL) Fail("the delegate", TfLiteGlesDelegateLastError());
  TfLiteInterpreterOptions* options = TfLiteInterpreterOptionsCreate();
  TfLiteInterpreterOptionsAddDelegate(options, delegate);
  TfLiteInterpreter* interpreter = TfLiteInterpreterCreate(model, options);
  TfLiteInterpreterOptionsDelete(options);
  if (interpreter == NULL ||
      TfLiteInterpreterAllocateTensors(interpreter) != kTfLiteOk) {
    Fail(argv[1], TfLiteGlesDelegateLastError());
  }

  FillInput(TfLiteInterpreterGetInputTensor(interpreter, 0), &picture);
  if (TfLiteInterpreterInvoke(interpreter) != kTfLiteOk) {
    Fail("Invoke", TfLiteGlesDelegateLastError());
  }
  const TfLiteTensor* output = TfLiteInterpreterGetOutputTensor(interpreter, 0);
  if (TfLiteInterpreterGetOutputTensorCount(interpreter) == 4) {
    Detect(interpreter, &picture);
  } else if (TfLiteTensorNumDims(output) == 4 &&
             TfLiteTensorDim(output, 1) > 1) {
    Segment(output, &picture);
  } else {
    Classify(interpreter);
  }
  SavePng(&picture, argv[4]);

  free(picture.rgb);
  TfLiteInterpreterDelete(interpreter);
  TfLiteGlesDelegateDelete(delegate); /* after the interpreter */
  TfLiteModelDelete(model);
  return 0;
}
