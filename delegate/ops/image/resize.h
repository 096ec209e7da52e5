// RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR: height and width to the constant
// size of the second input, up or down, with TFLite's rules for align_corners
// and half_pixel_centers. BHWC.
#ifndef GLES_DELEGATE_DELEGATE_OPS_IMAGE_RESIZE_H_
#define GLES_DELEGATE_DELEGATE_OPS_IMAGE_RESIZE_H_

#include "delegate/graph/op.h"

namespace gles_delegate {

// RESIZE_BILINEAR of real values. (RESIZE_NEAREST_NEIGHBOR has the same
// attributes.)
struct ResizeAttributes {
  bool align_corners = false;
  bool half_pixel_centers = false;
};

// RESIZE_BILINEAR of codes, as the CPU's kernels compute it: TFLite's of int8
// and int16 in integers with 10 bits behind the point, of uint8 in floats;
// XNNPACK's of 8 bits in integers with 11.
struct ResizeOfCodes {
  ResizeAttributes resize;
  int zero_in = 0;
  int zero_out = 0;
  bool is_unsigned = false;
  bool is_sixteen_bit = false;
  bool by_xnnpack = false;  // no 16-bit codes
};

// How such a node's result of shape `to` is interpolated from its source of
// shape `from`; `of` is not set.
MemoryView BilinearView(const Node& node, const Shape& from, const Shape& to);

// kInvalidArgument: the output is not of the asked size, or both flags are set.
ParseFunction ParseResize;
PlanFunction PlanResizeBilinear;
PlanFunction PlanResizeNearestNeighbor;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_IMAGE_RESIZE_H_
