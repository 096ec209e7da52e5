// Pictures of tensors, each kind as a person would look at it.
#ifndef GLES_DELEGATE_TOOLS_GLES_DEMO_VIEWS_H_
#define GLES_DELEGATE_TOOLS_GLES_DEMO_VIEWS_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "tools/gles_demo/canvas.h"

namespace gles_delegate::demo {

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

#endif  // GLES_DELEGATE_TOOLS_GLES_DEMO_VIEWS_H_
