// TFLite's padding arithmetic for sliding windows of convolutions and pooling,
// one axis at a time.
#ifndef GLES_DELEGATE_DELEGATE_OPS_SLIDING_WINDOW_H_
#define GLES_DELEGATE_DELEGATE_OPS_SLIDING_WINDOW_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "delegate/graph/graph.h"

namespace gles_delegate {

// A window along one axis, in input elements.
struct Window {
  int size = 1;      // taps
  int stride = 1;    // input elements from one output to the next
  int dilation = 1;  // input elements from one tap to the next

  int64_t extent() const { return int64_t{size - 1} * dilation + 1; }
};

// The dilation of a parameter: 0, as in models without it, means 1.
inline int DilationOf(int parameter) { return parameter == 0 ? 1 : parameter; }

// Window positions along one axis: tap t of output o reads input element o *
// stride - before + t * dilation, which is absent if outside the input.
struct AxisPadding {
  int before = 0;  // elements
  int after = 0;   // has the odd element of SAME
  int out = 0;     // number of windows
};

// `padding` is TfLitePadding (kPaddingSame, kPaddingValid), `in` the input's
// extent. kInvalidArgument: sizes below 1, a window that does not fit, or
// positions that exceed a shader's 32-bit integers; kUnimplemented: another
// padding. Messages begin with `axis` ("height").
absl::StatusOr<AxisPadding> ComputePadding(int padding, int in,
                                           const Window& window,
                                           absl::string_view axis);

// kInvalidArgument unless the output's extent `got` is padding.out.
absl::Status CheckExtent(const AxisPadding& padding, int got,
                         absl::string_view axis);

// The window of a convolution, shared by the attributes of the three
// convolution ops. All members are in input elements. Tap (ky, kx) of output
// pixel (y, x) reads input row y * stride_h - pad_top + ky * dilation_h, and
// the column by the same formula. Elements outside the input are zero.
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

#endif  // GLES_DELEGATE_DELEGATE_OPS_SLIDING_WINDOW_H_
