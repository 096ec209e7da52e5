/* A segmentation model from texture to texture:
 *   overlay_app selfie_segmentation.tflite picture.jpg out.png
 * The picture is a texture of any size, the mask a texture that a renderer
 * would draw over it; only the PNG is made on the CPU. */
#include <stdio.h>
#include <stdlib.h>

#include "examples/textures/app.h"

/* Tints the pixels outside of the mask blue. */
static void tint(uint8_t* pixels, const Picture* picture, const uint8_t* mask,
                 const Picture* of) {
  for (int y = 0; y < picture->height; ++y) {
    const int row = y * of->height / picture->height;
    for (int x = 0; x < picture->width; ++x) {
      const int at = (row * of->width + x * of->width / picture->width) * 4;
      uint8_t* pixel = pixels + ((size_t)y * picture->width + x) * 4;
      const int outside = 255 - mask[at];
      pixel[0] = (uint8_t)(pixel[0] * (510 - outside) / 510);
      pixel[1] = (uint8_t)(pixel[1] * (510 - outside) / 510);
      pixel[2] = (uint8_t)((pixel[2] * (510 - outside) + 255 * outside) / 510);
    }
  }
}

int main(int argc, char** argv) {
  check_usage(argc, argv, "overlay_app MODEL PICTURE OUT.png", 3, 3);
  open_context();
  const Picture picture = load_picture(argv[2]);
  Net net = open_net(argv[1]);
  const TfLiteTensor* output =
      TfLiteInterpreterGetOutputTensor(net.interpreter, 0);
  const Picture overlay =
      make_picture(TfLiteTensorDim(output, 2), TfLiteTensorDim(output, 1));
  const Box all = {0, 0, (float)picture.width, (float)picture.height};
  bind_input(&net, &picture, all, 1, 0);
  bind_output(&net, 0, &overlay);
  invoke(&net);

  uint8_t* pixels = read_pixels(&picture);
  uint8_t* mask = read_pixels(&overlay);
  long long inside = 0;
  for (int i = 0; i < overlay.width * overlay.height; ++i) {
    inside += mask[i * 4];
  }
  tint(pixels, &picture, mask, &overlay);
  save_pixels(argv[3], pixels, picture.width, picture.height);
  printf("%.1f%% of the picture is in the mask; wrote %s\n",
         (double)inside * 100 / 255 / (overlay.width * overlay.height),
         argv[3]);
  free(pixels);
  free(mask);
  close_net(&net);
  return 0;
}
