/* Two models in a chain on one texture:
 *   faces_app face_detection_short_range.tflite face_landmark.tflite
 *             picture.jpg out.png [rounds]
 * The detector finds a face in the whole picture, the second model reads that
 * part of the same texture. The picture does not leave the GPU: the CPU gets
 * the detector's boxes, and gives back a rectangle. With a number of rounds the
 * same is done by way of the CPU's memory, alternately, and the ratio of the
 * medians is printed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "examples/textures/app.h"

enum { kAnchors = 896, kPoints = 468 };

/* The output of this many values. */
static const float* output_of(const Net* net, size_t values) {
  const int count = TfLiteInterpreterGetOutputTensorCount(net->interpreter);
  for (int i = 0; i < count; ++i) {
    const TfLiteTensor* tensor =
        TfLiteInterpreterGetOutputTensor(net->interpreter, i);
    if (TfLiteTensorByteSize(tensor) == values * sizeof(float)) {
      return TfLiteTensorData(tensor);
    }
  }
  fail("the model", "it is not the one that this example is for");
  return NULL;
}

/* The anchor's middle, 0 to 1: a grid of 16 x 16 places with two anchors each,
 * then one of 8 x 8 with six. */
static void anchor_of(int index, float* x, float* y) {
  const int fine = index < 512;
  const int grid = fine ? 16 : 8;
  const int place = fine ? index / 2 : (index - 512) / 6;
  const int row = place / grid;
  *x = ((float)(place % grid) + 0.5f) / (float)grid;
  *y = ((float)row + 0.5f) / (float)grid;
}

/* A square around the likeliest face, half as large again, in pixels. */
static Box best_face(const Net* detector, const Picture* picture) {
  const float* scores = output_of(detector, kAnchors);
  const float* boxes = output_of(detector, (size_t)kAnchors * 16);
  int best = 0;
  for (int i = 1; i < kAnchors; ++i) {
    if (scores[i] > scores[best]) best = i;
  }
  if (scores[best] < 0) fail("the picture", "no face in it");
  float x = 0, y = 0;
  anchor_of(best, &x, &y);
  const float* box = boxes + (size_t)best * 16; /* in pixels of 128 x 128 */
  x = (x + box[0] / 128) * (float)picture->width;
  y = (y + box[1] / 128) * (float)picture->height;
  const float side = 1.5f * fmaxf(box[2] / 128 * (float)picture->width,
                                  box[3] / 128 * (float)picture->height);
  const Box face = {x - side / 2, y - side / 2, side, side};
  return face;
}

typedef void (*Feed)(Net*, const Picture*, Box, float, float);

/* Both models; `feed` brings the picture to each. */
static Box find_points(Net* detector, Net* landmarks, const Picture* picture,
                       Feed feed) {
  const Box all = {0, 0, (float)picture->width, (float)picture->height};
  feed(detector, picture, all, 2, -1);
  invoke(detector);
  const Box face = best_face(detector, picture);
  feed(landmarks, picture, face, 1, 0);
  invoke(landmarks);
  return face;
}

static void draw(const char* path, const Picture* picture, Box face,
                 const float* points) {
  uint8_t* pixels = read_pixels(picture);
  for (int i = 0; i < kPoints; ++i) {
    const int x = (int)(face.x + points[i * 3] / 192 * face.width);
    const int y = (int)(face.y + points[i * 3 + 1] / 192 * face.height);
    for (int dy = -1; dy <= 1; ++dy) {
      for (int dx = -1; dx <= 1; ++dx) {
        if (x + dx < 0 || x + dx >= picture->width || y + dy < 0 ||
            y + dy >= picture->height) {
          continue;
        }
        uint8_t* pixel =
            pixels + ((size_t)(y + dy) * picture->width + x + dx) * 4;
        pixel[0] = 40, pixel[1] = 255, pixel[2] = 120, pixel[3] = 255;
      }
    }
  }
  save_pixels(path, pixels, picture->width, picture->height);
  free(pixels);
}

static double now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static int by_size(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

/* Two separate chains, so that neither is rebuilt at its turn. */
static void compare(char** argv, const Picture* picture, int rounds) {
  double* times[2];
  Net nets[2][2];
  const Feed feeds[2] = {bind_input, copy_input};
  for (int way = 0; way < 2; ++way) {
    times[way] = calloc((size_t)rounds, sizeof(double));
    if (times[way] == NULL) fail("comparing", "no memory");
    for (int i = 0; i < 2; ++i) nets[way][i] = open_net(argv[1 + i]);
    find_points(&nets[way][0], &nets[way][1], picture, feeds[way]);
  }
  for (int round = 0; round < rounds; ++round) {
    for (int way = 0; way < 2; ++way) {
      const double start = now_ms();
      find_points(&nets[way][0], &nets[way][1], picture, feeds[way]);
      times[way][round] = now_ms() - start;
    }
  }
  const float* points[2];
  float apart = 0;
  for (int way = 0; way < 2; ++way) {
    points[way] = output_of(&nets[way][1], (size_t)kPoints * 3);
  }
  for (int i = 0; i < kPoints * 3; ++i) {
    apart = fmaxf(apart, fabsf(points[0][i] - points[1][i]));
  }
  printf("the two ways' points are %.4f pixels of 192 apart at most\n", apart);
  for (int way = 0; way < 2; ++way) {
    qsort(times[way], (size_t)rounds, sizeof(double), by_size);
    for (int i = 0; i < 2; ++i) close_net(&nets[way][i]);
  }
  printf(
      "on %s, %d rounds in turns: textures take %.2f of the time by way of "
      "the CPU's memory (medians: %.2f and %.2f ms)\n",
      (const char*)glGetString(GL_RENDERER), rounds,
      times[0][rounds / 2] / times[1][rounds / 2], times[0][rounds / 2],
      times[1][rounds / 2]);
  for (int way = 0; way < 2; ++way) free(times[way]);
}

int main(int argc, char** argv) {
  check_usage(argc, argv,
              "faces_app DETECTOR LANDMARKS PICTURE OUT.png [ROUNDS]", 4, 5);
  open_context();
  const Picture picture = load_picture(argv[3]);
  Net detector = open_net(argv[1]);
  Net landmarks = open_net(argv[2]);
  const Box face = find_points(&detector, &landmarks, &picture, bind_input);
  draw(argv[4], &picture, face, output_of(&landmarks, (size_t)kPoints * 3));
  printf("a face of %.0f pixels at (%.0f, %.0f); wrote %s\n", face.width / 1.5f,
         face.x, face.y, argv[4]);
  close_net(&landmarks);
  close_net(&detector);
  if (argc == 6 && atoi(argv[5]) > 0) compare(argv, &picture, atoi(argv[5]));
  return 0;
}
