/* Pictures for the examples: 8-bit RGB, rows from the top. Errors end the
 * program. */
#ifndef GLES_DELEGATE_EXAMPLES_C_PICTURE_H_
#define GLES_DELEGATE_EXAMPLES_C_PICTURE_H_

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  int width, height;
  unsigned char* rgb; /* free() it */
} Picture;

Picture LoadPicture(const char* path);
void SavePng(const Picture* picture, const char* path);
/* The same picture in another size, by bilinear interpolation. */
Picture Resized(const Picture* picture, int width, int height);
/* The outline of a box, three pixels wide, in a different colour for each
 * `kind`. */
void DrawBox(Picture* picture, float left, float top, float right, float bottom,
             int kind);
/* Mixes a pixel with the colour of `kind`; 0 is the background and changes
 * nothing. */
void Tint(Picture* picture, int x, int y, int kind);

#ifdef __cplusplus
}
#endif

#endif
