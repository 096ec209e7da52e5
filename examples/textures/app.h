/* An app with its own OpenGL ES context and models that read its
 * textures: what the two examples of this folder share. Everything that an app
 * needs of gles_delegate is in app.c; an error ends the program with its
 * reason.
 */
#ifndef GLES_DELEGATE_EXAMPLES_TEXTURES_APP_H_
#define GLES_DELEGATE_EXAMPLES_TEXTURES_APP_H_

#include <GLES3/gl31.h>
#include <stdint.h>

#include "gles_delegate/gles_delegate.h"
#include "tensorflow/lite/c/c_api.h"
#include "tensorflow/lite/c/common.h"

/* Makes a context without a window current on this thread. */
void open_context(void);

typedef struct Picture {
  int width, height;
  GLuint texture; /* GL_RGBA8 */
} Picture;

/* A picture's file (JPEG, PNG, BMP) as a texture. */
Picture load_picture(const char* path);
/* An empty one, which shaders can write. */
Picture make_picture(int width, int height);
/* The texture's pixels, RGBA, which the caller frees. */
uint8_t* read_pixels(const Picture* picture);
/* PNG. */
void save_pixels(const char* path, const uint8_t* rgba, int width, int height);

typedef struct Net {
  TfLiteModel* model;
  TfLiteDelegate* delegate;
  TfLiteInterpreter* interpreter;
} Net;

/* Applies a delegate to the model, in the current context. */
Net open_net(const char* path);
void close_net(Net* net);
void invoke(Net* net);

/* A square or any other part of a picture, in pixels. */
typedef struct Box {
  float x, y, width, height;
} Box;

/* The part of the picture is the input from now on, resized to its size; a
 * tensor's value is scale * (0 to 1) + bias. */
void bind_input(Net* net, const Picture* picture, Box part, float scale,
                float bias);
/* Output `index` of the model is written to the picture. */
void bind_output(Net* net, int index, const Picture* picture);

/* The same as bind_input() by way of the CPU: reads the pixels back, cuts,
 * resizes, and writes the input tensor. */
void copy_input(Net* net, const Picture* picture, Box part, float scale,
                float bias);

void fail(const char* what, const char* why);
/* Prints the usage and ends the program if --help asks for it, or if there are
 * fewer or more arguments. */
void check_usage(int argc, char** argv, const char* usage, int min, int max);

/* What libtensorflowlite_c.so 2.9 exports, and its c_api_experimental.h, which
 * the package does not bring, declares. */
TfLiteStatus TfLiteInterpreterModifyGraphWithDelegate(
    const TfLiteInterpreter* interpreter, TfLiteDelegate* delegate);
void TfLiteInterpreterOptionsAddCustomOp(TfLiteInterpreterOptions* options,
                                         const char* name,
                                         const TfLiteRegistration* registration,
                                         int32_t min_version,
                                         int32_t max_version);
int32_t TfLiteInterpreterGetInputTensorIndex(
    const TfLiteInterpreter* interpreter, int32_t input_index);
int32_t TfLiteInterpreterGetOutputTensorIndex(
    const TfLiteInterpreter* interpreter, int32_t output_index);

#endif /* GLES_DELEGATE_EXAMPLES_TEXTURES_APP_H_ */
