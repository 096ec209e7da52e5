// The window of a convolution, shared by the attributes of the three
// convolution ops.
#ifndef GLES_DELEGATE_DELEGATE_OPS_CONV_SLIDING_WINDOW_H_
#define GLES_DELEGATE_DELEGATE_OPS_CONV_SLIDING_WINDOW_H_

#include "absl/status/statusor.h"
#include "delegate/graph/graph.h"

namespace gles_delegate {

// All members are in input elements. Tap (ky, kx) of output pixel (y, x) reads
// input row y * stride_h - pad_top + ky * dilation_h, and the column by the
// same formula. Elements outside the input are zero.
struct SlidingWindow {
  int stride_h = 1;
  int stride_w = 1;
  int dilation_h = 1;
  int dilation_w = 1;
  // Zeros around the input. A pass that makes the input smaller may increase
  // them by as much. The output's shape stays the same.
  int pad_top = 0;
  int pad_left = 0;
  int pad_bottom = 0;
  int pad_right = 0;

  bool HasUnitStride() const { return stride_h == 1 && stride_w == 1; }
  bool IsDilated() const { return dilation_h != 1 || dilation_w != 1; }
  // True if any side is padded.
  bool IsPadded() const {
    return pad_top != 0 || pad_left != 0 || pad_bottom != 0 || pad_right != 0;
  }
  // True if the first window begins at the input's first element.
  bool BeginsInside() const { return pad_top == 0 && pad_left == 0; }
};

// The window parameters of a TFLite node.
struct WindowParams {
  int padding = 0;  // TfLitePadding
  int stride_h = 1;
  int stride_w = 1;
  int dilation_h = 1;  // 0: 1, which a model without the field means
  int dilation_w = 1;
};

// The window of a node with shapes `src` and `filter` (height and width are the
// taps), with TFLite's padding rules. kInvalidArgument: sizes below 1, or a
// window that does not fit. kUnimplemented: padding other than SAME and VALID.
absl::StatusOr<SlidingWindow> SlidingWindowOf(const WindowParams& params,
                                              const Shape& src,
                                              const Shape& filter);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_CONV_SLIDING_WINDOW_H_
