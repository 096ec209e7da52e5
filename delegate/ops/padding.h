// TFLite's padding arithmetic for windows that slide over an image, one axis at
// a time: convolutions and pooling.
#ifndef GLES_DELEGATE_DELEGATE_OPS_PADDING_H_
#define GLES_DELEGATE_DELEGATE_OPS_PADDING_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace gles_delegate {

// A window along one axis, in elements of the input.
struct Window {
  int size = 1;      // taps
  int stride = 1;    // input elements from one output to the next
  int dilation = 1;  // input elements from one tap to the next

  int64_t extent() const { return int64_t{size - 1} * dilation + 1; }
};

// The dilation that a parameter stands for: 0 is what a model without it
// leaves.
inline int DilationOf(int parameter) { return parameter == 0 ? 1 : parameter; }

// Where windows lie on one axis: output o's tap t reads input element
// o * stride - before + t * dilation, which counts as absent outside the input.
struct AxisPadding {
  int before = 0;  // elements
  int after = 0;   // SAME puts the odd one here
  int out = 0;     // how many windows there are
};

// `padding` is TfLitePadding (kPaddingSame, kPaddingValid), `in` the input's
// extent. kInvalidArgument: sizes below one, a window that does not fit, or one
// whose places a shader's 32-bit integers do not hold;
// kUnimplemented: another padding. Messages begin with `axis` ("height").
absl::StatusOr<AxisPadding> ComputePadding(int padding, int in,
                                           const Window& window,
                                           absl::string_view axis);

// kInvalidArgument unless the output's extent `got` is padding.out.
absl::Status CheckExtent(const AxisPadding& padding, int got,
                         absl::string_view axis);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_PADDING_H_
