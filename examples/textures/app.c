#include "examples/textures/app.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stb/stb_image.h"
#include "stb/stb_image_write.h"

void fail(const char* what, const char* why) {
  fprintf(stderr, "%s: %s\n", what, why);
  exit(1);
}

void check_usage(int argc, char** argv, const char* usage, int min, int max) {
  if (argc == 2 && strcmp(argv[1], "--help") == 0) {
    printf("usage: %s\n", usage);
    exit(0);
  }
  if (argc - 1 < min || argc - 1 > max) fail("usage", usage);
}

/* The first EGL device's: GPUs without a screen, where the driver's default
 * display wants one. */
static EGLDisplay device_display(PFNEGLGETPLATFORMDISPLAYEXTPROC get_display) {
  const PFNEGLQUERYDEVICESEXTPROC query_devices =
      (PFNEGLQUERYDEVICESEXTPROC)eglGetProcAddress("eglQueryDevicesEXT");
  EGLDeviceEXT device;
  EGLint count = 0;
  if (query_devices == NULL || !query_devices(1, &device, &count) ||
      count == 0) {
    return EGL_NO_DISPLAY;
  }
  return get_display(EGL_PLATFORM_DEVICE_EXT, device, NULL);
}

/* A display without a window, initialized. */
static EGLDisplay open_display(void) {
  const PFNEGLGETPLATFORMDISPLAYEXTPROC get_display =
      (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress(
          "eglGetPlatformDisplayEXT");
  EGLDisplay display = EGL_NO_DISPLAY;
  if (get_display != NULL) {
    display =
        get_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    if (eglInitialize(display, NULL, NULL)) return display;
    display = device_display(get_display);
    if (eglInitialize(display, NULL, NULL)) return display;
  }
  display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
  if (!eglInitialize(display, NULL, NULL)) fail("EGL", "no display");
  return display;
}

void open_context(void) {
  const EGLDisplay display = open_display();
  eglBindAPI(EGL_OPENGL_ES_API);
  const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION, 3,
                            EGL_CONTEXT_MINOR_VERSION, 1, EGL_NONE};
  const EGLContext context =
      eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, version);
  if (!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) {
    fail("EGL", "no OpenGL ES 3.1");
  }
}

Picture make_picture(int width, int height) {
  Picture picture = {width, height, 0};
  glGenTextures(1, &picture.texture);
  glBindTexture(GL_TEXTURE_2D, picture.texture);
  glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, width, height);
  return picture;
}

Picture load_picture(const char* path) {
  int width = 0, height = 0, channels = 0;
  uint8_t* pixels = stbi_load(path, &width, &height, &channels, 4);
  if (pixels == NULL) fail(path, stbi_failure_reason());
  const Picture picture = make_picture(width, height);
  glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, width, height, GL_RGBA,
                  GL_UNSIGNED_BYTE, pixels);
  stbi_image_free(pixels);
  return picture;
}

uint8_t* read_pixels(const Picture* picture) {
  uint8_t* pixels = malloc((size_t)picture->width * picture->height * 4);
  if (pixels == NULL) fail("reading pixels", "no memory");
  GLuint framebuffer = 0;
  glGenFramebuffers(1, &framebuffer);
  glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
  glFramebufferTexture2D(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                         GL_TEXTURE_2D, picture->texture, 0);
  glReadPixels(0, 0, picture->width, picture->height, GL_RGBA, GL_UNSIGNED_BYTE,
               pixels);
  glDeleteFramebuffers(1, &framebuffer);
  return pixels;
}

void save_pixels(const char* path, const uint8_t* rgba, int width, int height) {
  if (!stbi_write_png(path, width, height, 4, rgba, width * 4)) {
    fail(path, "cannot be written");
  }
}

Net open_net(const char* path) {
  Net net = {NULL, NULL, NULL};
  net.model = TfLiteModelCreateFromFile(path);
  if (net.model == NULL) fail(path, "no model");
  TfLiteInterpreterOptions* options = TfLiteInterpreterOptionsCreate();
  TfLiteGlesDelegateRegisterCustomOps(options,
                                      TfLiteInterpreterOptionsAddCustomOp);
  net.delegate = TfLiteGlesDelegateCreate(NULL);
  net.interpreter = TfLiteInterpreterCreate(net.model, options);
  TfLiteInterpreterOptionsDelete(options);
  if (net.delegate == NULL || net.interpreter == NULL ||
      TfLiteInterpreterModifyGraphWithDelegate(net.interpreter, net.delegate) !=
          kTfLiteOk ||
      TfLiteInterpreterAllocateTensors(net.interpreter) != kTfLiteOk) {
    fail(path, "the delegate could not be applied");
  }
  return net;
}

void close_net(Net* net) {
  TfLiteInterpreterDelete(net->interpreter);
  TfLiteGlesDelegateDelete(net->delegate);
  TfLiteModelDelete(net->model);
}

void invoke(Net* net) {
  if (TfLiteInterpreterInvoke(net->interpreter) != kTfLiteOk) {
    fail("Invoke", "see the message above");
  }
}

static void bind(Net* net, int tensor, const TfLiteGlesObject* object) {
  if (TfLiteGlesDelegateBindObject(net->delegate, tensor, object) != 0) {
    fail("binding a texture", TfLiteGlesDelegateLastError());
  }
}

static TfLiteGlesObject object_of(const Picture* picture) {
  TfLiteGlesObject object = TfLiteGlesDelegateObjectDefault();
  object.type = kTfLiteGlesObjectTexture2d;
  object.name = picture->texture;
  return object;
}

void bind_input(Net* net, const Picture* picture, Box part, float scale,
                float bias) {
  TfLiteGlesObject object = object_of(picture);
  object.scale = scale;
  object.bias = bias;
  object.resize = 1;
  object.crop_x = part.x;
  object.crop_y = part.y;
  object.crop_width = part.width;
  object.crop_height = part.height;
  bind(net, TfLiteInterpreterGetInputTensorIndex(net->interpreter, 0), &object);
}

void bind_output(Net* net, int index, const Picture* picture) {
  const TfLiteGlesObject object = object_of(picture);
  bind(net, TfLiteInterpreterGetOutputTensorIndex(net->interpreter, index),
       &object);
}

static float clamped(float v, float low, float high) {
  return v < low ? low : v > high ? high : v;
}

void copy_input(Net* net, const Picture* picture, Box part, float scale,
                float bias) {
  TfLiteTensor* input = TfLiteInterpreterGetInputTensor(net->interpreter, 0);
  const int height = TfLiteTensorDim(input, 1);
  const int width = TfLiteTensorDim(input, 2);
  const int channels = TfLiteTensorDim(input, 3);
  float* values = TfLiteTensorData(input);
  uint8_t* pixels = read_pixels(picture);
  const float last_x =
      clamped(ceilf(part.x + part.width) - 1, 0, (float)picture->width - 1);
  const float last_y =
      clamped(ceilf(part.y + part.height) - 1, 0, (float)picture->height - 1);
  for (int y = 0; y < height; ++y) {
    const float at_y =
        clamped(part.y + ((float)y + 0.5f) * part.height / (float)height - 0.5f,
                clamped(floorf(part.y), 0, last_y), last_y);
    const int top = (int)at_y, bottom = (int)fminf(floorf(at_y) + 1, last_y);
    for (int x = 0; x < width; ++x) {
      const float at_x =
          clamped(part.x + ((float)x + 0.5f) * part.width / (float)width - 0.5f,
                  clamped(floorf(part.x), 0, last_x), last_x);
      const int left = (int)at_x, right = (int)fminf(floorf(at_x) + 1, last_x);
      const float down = at_y - (float)top, across = at_x - (float)left;
      const uint8_t* rows[2] = {pixels + (size_t)top * picture->width * 4,
                                pixels + (size_t)bottom * picture->width * 4};
      for (int c = 0; c < channels; ++c) {
        float sides[2];
        for (int r = 0; r < 2; ++r) {
          sides[r] = (float)rows[r][left * 4 + c] * (1 - across) +
                     (float)rows[r][right * 4 + c] * across;
        }
        *values++ =
            (sides[0] * (1 - down) + sides[1] * down) / 255 * scale + bias;
      }
    }
  }
  free(pixels);
}
