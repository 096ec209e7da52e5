#include "delegate/ops/padding.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "delegate/tflite/builtin_params.h"

namespace gles_delegate {

absl::StatusOr<AxisPadding> ComputePadding(int padding, int in,
                                           const Window& window,
                                           absl::string_view axis) {
  if (in < 1 || window.size < 1 || window.stride < 1 || window.dilation < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat(axis, ": input ", in, ", window ", window.size,
                     ", stride ", window.stride, ", dilation ", window.dilation,
                     " must all be positive"));
  }
  AxisPadding result;
  if (padding == kPaddingSame) {
    result.out = (in + window.stride - 1) / window.stride;
  } else if (padding == kPaddingValid) {
    result.out = (in + window.stride - window.extent()) / window.stride;
  } else {
    return absl::UnimplementedError(absl::StrCat(
        "padding ", padding, " is not supported; SAME (1) and VALID (2) are"));
  }
  // The first test guards C++'s division towards zero.
  if ((padding == kPaddingValid && window.extent() > in) || result.out < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat(axis, ": a window of ", window.extent(),
                     " does not fit an input of ", in, " without padding"));
  }
  const int total =
      std::max(0, (result.out - 1) * window.stride + window.extent() - in);
  result.before = total / 2;
  result.after = total - result.before;
  return result;
}

absl::Status CheckExtent(const AxisPadding& padding, int got,
                         absl::string_view axis) {
  if (got == padding.out) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("output ", axis, " is ", got,
                   ", the window over the input gives ", padding.out));
}

}  // namespace gles_delegate
