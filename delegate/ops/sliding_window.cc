#include "delegate/ops/sliding_window.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/builtin_params.h"

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
  // 64 bits: each number is below 2^31, the extent below 2^62.
  int64_t out = 0;
  if (padding == kPaddingSame) {
    out = (int64_t{in} + window.stride - 1) / window.stride;
  } else if (padding == kPaddingValid) {
    out = (int64_t{in} + window.stride - window.extent()) / window.stride;
  } else {
    return absl::UnimplementedError(absl::StrCat(
        "padding ", padding, " is not supported; SAME (1) and VALID (2) are"));
  }
  // The first test guards C++'s division towards zero.
  if ((padding == kPaddingValid && window.extent() > in) || out < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat(axis, ": a window of ", window.extent(),
                     " does not fit an input of ", in, " without padding"));
  }
  const int64_t reach = (out - 1) * window.stride + window.extent();
  // Places of a window and paddings add up to no more than twice this.
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max() / 2;
  if (reach > kMax || window.stride > kMax) {
    return absl::InvalidArgumentError(absl::StrCat(
        axis, ": a window of ", window.extent(), " at steps of ", window.stride,
        " over an input of ", in, " reaches past ", kMax));
  }
  const auto total = static_cast<int>(std::max<int64_t>(0, reach - in));
  AxisPadding result;
  result.out = static_cast<int>(out);
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

// --- The window of a convolution ---------------------------------------------

absl::StatusOr<SlidingWindow> SlidingWindowOf(const WindowParams& params,
                                              const Shape& src,
                                              const Shape& filter) {
  SlidingWindow window;
  window.stride_h = params.stride_h;
  window.stride_w = params.stride_w;
  window.dilation_h = DilationOf(params.dilation_h);
  window.dilation_w = DilationOf(params.dilation_w);
  ASSIGN_OR_RETURN(
      const auto height,
      ComputePadding(params.padding, src.h,
                     {filter.h, window.stride_h, window.dilation_h}, "height"));
  ASSIGN_OR_RETURN(
      const auto width,
      ComputePadding(params.padding, src.w,
                     {filter.w, window.stride_w, window.dilation_w}, "width"));
  window.pad_top = height.before;
  window.pad_bottom = height.after;
  window.pad_left = width.before;
  window.pad_right = width.after;
  return window;
}

}  // namespace gles_delegate
