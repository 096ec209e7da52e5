// An RGB picture to draw on: what the demo shows.
#ifndef GLES_DELEGATE_TOOLS_GLES_DEMO_CANVAS_H_
#define GLES_DELEGATE_TOOLS_GLES_DEMO_CANVAS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace gles_delegate::demo {

struct Color {
  uint8_t r = 0;
  uint8_t g = 0;
  uint8_t b = 0;
};

// Rows of RGB bytes from the top, without gaps.
class Canvas {
 public:
  Canvas() = default;
  Canvas(int width, int height, Color fill = {});

  // kNotFound, kInvalidArgument: no file, or no image that stb_image reads.
  static absl::StatusOr<Canvas> FromFile(const std::string& path);

  int width() const { return width_; }
  int height() const { return height_; }
  Color at(int x, int y) const;
  // Sets one pixel; nothing where x, y lies outside the picture.
  void Set(int x, int y, Color color);
  void FillRect(int x, int y, int width, int height, Color color);

  // Draws `picture` with its top left corner at x, y, resized to width by
  // height by the nearest neighbour, so that each value can be seen as it is.
  void Draw(const Canvas& picture, int x, int y, int width, int height);

  // Draws one line of text, `scale` pixels a dot. Returns the x behind the
  // text.
  int Text(int x, int y, const std::string& text, Color color, int scale = 1);
  static int TextWidth(const std::string& text, int scale = 1);

  // The picture resized bilinearly, for inputs of models: values of 0 to 255,
  // not rounded, as [height][width][3].
  std::vector<float> Resampled(int width, int height) const;

  // kUnavailable: the file can't be written.
  absl::Status WritePng(const std::string& path) const;

 private:
  int width_ = 0;
  int height_ = 0;
  std::vector<uint8_t> rgb_;
};

}  // namespace gles_delegate::demo

#endif  // GLES_DELEGATE_TOOLS_GLES_DEMO_CANVAS_H_
