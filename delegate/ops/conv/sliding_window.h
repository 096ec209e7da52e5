// How the window of a convolution moves over an image: what the attributes of
// the three convolution ops have in common.
#ifndef GLES_DELEGATE_DELEGATE_OPS_CONV_SLIDING_WINDOW_H_
#define GLES_DELEGATE_DELEGATE_OPS_CONV_SLIDING_WINDOW_H_

#include "absl/status/statusor.h"
#include "delegate/graph/graph.h"

namespace gles_delegate {

// All members are in elements of the input. Tap (ky, kx) of output pixel (y, x)
// reads the input at row y * stride_h - pad_top + ky * dilation_h, and at the
// column that the widths give likewise. What lies outside the input is zero.
struct SlidingWindow {
  int stride_h = 1;
  int stride_w = 1;
  int dilation_h = 1;
  int dilation_w = 1;
  // Zeros around the input. A pass may add to these where it makes the input
  // smaller by as much. The output's shape stays as it is.
  int pad_top = 0;
  int pad_left = 0;
  int pad_bottom = 0;
  int pad_right = 0;

  bool HasUnitStride() const { return stride_h == 1 && stride_w == 1; }
  bool IsDilated() const { return dilation_h != 1 || dilation_w != 1; }
  // True where a side of the input has zeros.
  bool IsPadded() const {
    return pad_top != 0 || pad_left != 0 || pad_bottom != 0 || pad_right != 0;
  }
  // True where the first window begins at the input's first element.
  bool BeginsInside() const { return pad_top == 0 && pad_left == 0; }
};

// What a TFLite node says of its window.
struct WindowParams {
  int padding = 0;  // TfLitePadding
  int stride_h = 1;
  int stride_w = 1;
  int dilation_h = 1;  // 0: 1, which a model without the field means
  int dilation_w = 1;
};

// The window of a node whose shapes are `src`, `filter` (height and width are
// the taps) and `dst`. The paddings are TFLite's own.
// kInvalidArgument: sizes below one, a window that does not fit the input, or
// an output of another height or width; kUnimplemented: another padding than
// SAME and VALID.
absl::StatusOr<SlidingWindow> SlidingWindowOf(const WindowParams& params,
                                              const Shape& src,
                                              const Shape& filter,
                                              const Shape& dst);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_CONV_SLIDING_WINDOW_H_
