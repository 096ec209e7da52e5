#include "delegate/ops/conv/sliding_window.h"

#include "base/status_macros.h"
#include "delegate/ops/padding.h"

namespace gles_delegate {

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
