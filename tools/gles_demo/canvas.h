// An RGB picture to draw on: what the demo shows.
#ifndef GLES_DELEGATE_TOOLS_GLES_DEMO_CANVAS_H_
#define GLES_DELEGATE_TOOLS_GLES_DEMO_CANVAS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "tools/common/image.h"

namespace gles_delegate::demo {

struct Color {
  uint8_t r = 0;
  uint8_t g = 0;
  uint8_t b = 0;
};

class Canvas {
 public:
  Canvas() = default;
  explicit Canvas(Image image) : image_(std::move(image)) {}
  Canvas(int width, int height, Color fill = {})
      : image_{width, height,
               std::vector<uint8_t>(static_cast<size_t>(width) * height * 3)} {
    FillRect(0, 0, width, height, fill);
  }

  int width() const { return image_.width; }
  int height() const { return image_.height; }
  Color at(int x, int y) const;

  // Gives each pixel of a rectangle the color for its place in it; nothing
  // outside the picture.
  void Paint(int x, int y, int width, int height,
             absl::FunctionRef<Color(int x, int y)> color_at);
  void FillRect(int x, int y, int width, int height, Color color) {
    Paint(x, y, width, height, [color](int, int) { return color; });
  }

  // Draws `picture` with its top left corner at x, y, resized to width by
  // height by the nearest neighbour, so that each value can be seen as it is.
  void Draw(const Canvas& picture, int x, int y, int width, int height);

  // Draws one line of text. Returns the x behind the text.
  int Text(int x, int y, const std::string& text, Color color);
  static int TextWidth(const std::string& text);

  // The picture resized bilinearly, for inputs of models: values of 0 to 255,
  // not rounded, as [height][width][3].
  std::vector<float> Resampled(int width, int height) const;

  // kUnavailable: the file can't be written.
  absl::Status WritePng(const std::string& path) const;

 private:
  static constexpr int kDot = 2;  // pixels of a dot of text

  Image image_;
};

// Pictures of tensors, each kind as a person would look at it.

// A tensor's values with what they mean.
struct TensorValues {
  std::string name;
  std::vector<int> dims;
  std::vector<float> values;

  // [1, h, w, c] with more than one pixel.
  bool is_picture() const;
  int height() const { return dims[1]; }
  int width() const { return dims[2]; }
  int channels() const { return dims[3]; }
};

// The values that are drawn as black and as white.
struct Range {
  float low = 0;
  float high = 1;
};

// 0 to 1 if all of the tensor's values are in it; else from the min to the
// max.
Range RangeOf(const TensorValues& tensor);

// Class 0 (background, mostly) is dark; the others are told apart by hue.
Color ClassColor(int index);

// Draws a tensor with is_picture(). Three channels become colours; else the
// channels' maximum becomes a heat map.
Canvas PictureOf(const TensorValues& tensor, Range range);

// Of a class: "#12" if it has none.
std::string LabelOf(int index, absl::Span<const std::string> labels);

// Draws bars for the elements that are largest in `order_by`, so that the
// charts of two tensors show the same elements. `labels` name them where there
// are any.
Canvas BarsOf(const TensorValues& tensor, const TensorValues& order_by,
              Range range, absl::Span<const std::string> labels, int width,
              int height);

// Draws |a - b| times `factor` in grey levels: the channels' maximum of each
// pixel, or a strip of elements if the tensors are not pictures.
Canvas DifferenceOf(const TensorValues& a, const TensorValues& b, float factor);

}  // namespace gles_delegate::demo

#endif  // GLES_DELEGATE_TOOLS_GLES_DEMO_CANVAS_H_
