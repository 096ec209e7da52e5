/* Segments a video in GStreamer's own OpenGL ES context:
 *   segment_video MODEL.tflite [SOURCE [SINK]]
 * for example
 *   segment_video selfie_segmentation.tflite v4l2src
 * SOURCE and SINK are parts of a pipeline, as gst-launch-1.0 takes them. Frames
 * reach the model as textures, and a shader draws them with the mask that the
 * model has written into another texture: the CPU sees neither. Without a
 * screen, give a SINK that writes a file:
 *   "gldownload ! pngenc snapshot=true ! filesink location=out.png"
 */
#include <GLES3/gl31.h>
#include <gst/gl/gl.h>
#include <gst/gst.h>
#include <stdio.h>
#include <stdlib.h>

#include "examples/textures/app.h"

typedef struct Segmenter {
  const char* model;
  Net net; /* made at the first frame, when the context is there */
  Picture mask;
  GLuint program;
  GLuint vertices;
  int frames;
} Segmenter;

static const char kVertexShader[] =
    "#version 310 es\n"
    "out vec2 at;\n"
    "void main() {\n"
    "  at = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0;\n"
    "  gl_Position = vec4(at * 2.0 - 1.0, 0.0, 1.0);\n"
    "}\n";

/* Tints the pixels outside of the mask blue. */
static const char kFragmentShader[] =
    "#version 310 es\n"
    "precision highp float;\n"
    "layout(binding = 0) uniform sampler2D frame;\n"
    "layout(binding = 1) uniform sampler2D mask;\n"
    "in vec2 at;\n"
    "out vec4 color;\n"
    "void main() {\n"
    "  float outside = 1.0 - texture(mask, at).r;\n"
    "  vec3 pixel = texture(frame, at).rgb;\n"
    "  color = vec4(mix(pixel, vec3(0.0, 0.0, 1.0), outside / 2.0), 1.0);\n"
    "}\n";

static void attach_shader(GLuint program, GLenum kind, const char* source) {
  const GLuint shader = glCreateShader(kind);
  glShaderSource(shader, 1, &source, NULL);
  glCompileShader(shader);
  glAttachShader(program, shader);
  glDeleteShader(shader);
}

static void start(Segmenter* segmenter) {
  segmenter->net = open_net(segmenter->model);
  const TfLiteTensor* output =
      TfLiteInterpreterGetOutputTensor(segmenter->net.interpreter, 0);
  segmenter->mask =
      make_picture(TfLiteTensorDim(output, 2), TfLiteTensorDim(output, 1));
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  bind_output(&segmenter->net, 0, &segmenter->mask);

  segmenter->program = glCreateProgram();
  attach_shader(segmenter->program, GL_VERTEX_SHADER, kVertexShader);
  attach_shader(segmenter->program, GL_FRAGMENT_SHADER, kFragmentShader);
  glLinkProgram(segmenter->program);
  GLint linked = 0;
  glGetProgramiv(segmenter->program, GL_LINK_STATUS, &linked);
  if (!linked) fail("the shaders", "do not link");
  glGenVertexArrays(1, &segmenter->vertices); /* empty: the shader needs none */
}

static void draw(const Segmenter* segmenter, GLuint frame) {
  glUseProgram(segmenter->program);
  glBindVertexArray(segmenter->vertices);
  glActiveTexture(GL_TEXTURE1);
  glBindTexture(GL_TEXTURE_2D, segmenter->mask.texture);
  glActiveTexture(GL_TEXTURE0);
  glBindTexture(GL_TEXTURE_2D, frame);
  glDrawArrays(GL_TRIANGLES, 0, 3);
  glBindVertexArray(0);
  glUseProgram(0);
}

/* glfilterapp's signal, on GStreamer's GL thread with its context current and
 * the output frame bound for drawing. */
static gboolean on_frame(GstElement* element, guint texture, guint width,
                         guint height, gpointer data) {
  (void)element;
  Segmenter* segmenter = data;
  if (segmenter->net.interpreter == NULL) start(segmenter);
  /* GStreamer takes its textures from a pool: each frame may have another. */
  const Picture frame = {(int)width, (int)height, texture};
  const Box all = {0, 0, (float)width, (float)height};
  bind_input(&segmenter->net, &frame, all, 1, 0);
  invoke(&segmenter->net);
  draw(segmenter, texture);
  ++segmenter->frames;
  return TRUE;
}

/* On GStreamer's GL thread too: the context must still be current. */
static void finish(GstGLContext* context, gpointer data) {
  (void)context;
  close_net(&((Segmenter*)data)->net);
}

static void wait_for_the_end(GstElement* pipeline) {
  GstBus* bus = gst_element_get_bus(pipeline);
  GstMessage* message = gst_bus_timed_pop_filtered(
      bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) {
    GError* error = NULL;
    gst_message_parse_error(message, &error, NULL);
    fail("GStreamer", error->message);
  }
  gst_message_unref(message);
  gst_object_unref(bus);
}

int main(int argc, char** argv) {
  check_usage(argc, argv, "segment_video MODEL [SOURCE [SINK]]", 1, 3);
  /* The delegate needs OpenGL ES; GStreamer's default may be OpenGL. */
  g_setenv("GST_GL_API", "gles2", FALSE);
  g_setenv("GST_GL_PLATFORM", "egl", FALSE);
  if (g_getenv("DISPLAY") == NULL && g_getenv("WAYLAND_DISPLAY") == NULL) {
    g_setenv("GST_GL_WINDOW", "egl-device", FALSE);
  }
  gst_init(NULL, NULL);
  gchar* description = g_strdup_printf(
      "%s ! glupload ! glcolorconvert ! "
      "video/x-raw(memory:GLMemory),format=RGBA,texture-target=2D ! "
      "glfilterapp name=app ! %s",
      argc > 2 ? argv[2] : "videotestsrc", argc > 3 ? argv[3] : "glimagesink");
  GError* error = NULL;
  GstElement* pipeline = gst_parse_launch(description, &error);
  if (error != NULL) fail(description, error->message);
  g_free(description);
  GstElement* app = gst_bin_get_by_name(GST_BIN(pipeline), "app");
  Segmenter segmenter = {.model = argv[1]};
  g_signal_connect(app, "client-draw", G_CALLBACK(on_frame), &segmenter);

  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  wait_for_the_end(pipeline);
  GstGLContext* context = NULL;
  g_object_get(app, "context", &context, NULL);
  if (segmenter.frames > 0)
    gst_gl_context_thread_add(context, finish, &segmenter);
  gst_object_unref(context);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(app);
  gst_object_unref(pipeline);
  printf("%d frames\n", segmenter.frames);
  return 0;
}
