#include "picture.h"

#include <stdio.h>
#include <stdlib.h>

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include "stb/stb_image.h"
#include "stb/stb_image_write.h"

Picture LoadPicture(const char* path) {
  Picture picture;
  picture.rgb = stbi_load(path, &picture.width, &picture.height, NULL, 3);
  if (picture.rgb == NULL) {
    fprintf(stderr, "%s: %s\n", path, stbi_failure_reason());
    exit(1);
  }
  return picture;
}

void SavePng(const Picture* picture, const char* path) {
  if (!stbi_write_png(path, picture->width, picture->height, 3, picture->rgb,
                      0)) {
    fprintf(stderr, "%s cannot be written\n", path);
    exit(1);
  }
}

/* Where the centre of pixel `i` of `to` falls among the pixels of `from`. */
static float Place(int i, int to, int from) {
  const float place = ((float)i + 0.5f) * (float)from / (float)to - 0.5f;
  return place < 0 ? 0 : place > (float)(from - 1) ? (float)(from - 1) : place;
}

Picture Resized(const Picture* picture, int width, int height) {
  Picture result = {width, height,
                    (unsigned char*)malloc((size_t)width * height * 3)};
  if (result.rgb == NULL) exit(1);
  for (int y = 0; y < height; ++y) {
    const float fy = Place(y, height, picture->height);
    const int y0 = (int)fy, y1 = y0 + 1 < picture->height ? y0 + 1 : y0;
    for (int x = 0; x < width; ++x) {
      const float fx = Place(x, width, picture->width);
      const int x0 = (int)fx, x1 = x0 + 1 < picture->width ? x0 + 1 : x0;
      for (int c = 0; c < 3; ++c) {
        const unsigned char* row0 =
            picture->rgb + (size_t)y0 * picture->width * 3 + c;
        const unsigned char* row1 =
            picture->rgb + (size_t)y1 * picture->width * 3 + c;
        const float top =
            row0[x0 * 3] +
            (fx - (float)x0) * (float)(row0[x1 * 3] - row0[x0 * 3]);
        const float low =
            row1[x0 * 3] +
            (fx - (float)x0) * (float)(row1[x1 * 3] - row1[x0 * 3]);
        result.rgb[((size_t)y * width + x) * 3 + c] =
            (unsigned char)(top + (fy - (float)y0) * (low - top) + 0.5f);
      }
    }
  }
  return result;
}

static unsigned char Colour(int kind, int channel) {
  return (unsigned char)(64 +
                         (kind * 67 + channel * 113 + kind * channel * 29) %
                             192);
}

static void Set(Picture* picture, int x, int y, int kind) {
  if (x < 0 || y < 0 || x >= picture->width || y >= picture->height) return;
  for (int c = 0; c < 3; ++c) {
    picture->rgb[((size_t)y * picture->width + x) * 3 + c] = Colour(kind, c);
  }
}

void DrawBox(Picture* picture, float left, float top, float right, float bottom,
             int kind) {
  const int x0 = (int)left, x1 = (int)right, y0 = (int)top, y1 = (int)bottom;
  for (int pen = -1; pen <= 1; ++pen) {
    for (int x = x0; x <= x1; ++x) {
      Set(picture, x, y0 + pen, kind);
      Set(picture, x, y1 + pen, kind);
    }
    for (int y = y0; y <= y1; ++y) {
      Set(picture, x0 + pen, y, kind);
      Set(picture, x1 + pen, y, kind);
    }
  }
}

void Tint(Picture* picture, int x, int y, int kind) {
  if (kind == 0) return;
  unsigned char* pixel = picture->rgb + ((size_t)y * picture->width + x) * 3;
  for (int c = 0; c < 3; ++c)
    pixel[c] = (unsigned char)((pixel[c] + Colour(kind, c)) / 2);
}
