// TFLite's padding arithmetic for sliding windows of convolutions and pooling,
// one axis at a time.
#ifndef GLES_DELEGATE_DELEGATE_OPS_PADDING_H_
#define GLES_DELEGATE_DELEGATE_OPS_PADDING_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

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

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_PADDING_H_
