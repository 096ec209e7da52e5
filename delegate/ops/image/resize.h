// RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR: resizes height and width to the
// constant second input, with TFLite's rules for align_corners and
// half_pixel_centers. BHWC.
#ifndef GLES_DELEGATE_DELEGATE_OPS_IMAGE_RESIZE_H_
#define GLES_DELEGATE_DELEGATE_OPS_IMAGE_RESIZE_H_

#include "delegate/graph/builtin_params.h"
#include "delegate/graph/op.h"

namespace gles_delegate {

// RESIZE_BILINEAR of real values, and RESIZE_NEAREST_NEIGHBOR.
using ResizeAttributes = ResizeParams;

// RESIZE_BILINEAR of quantized values with the CPU kernels' arithmetic:
// TFLite's int8 and int16 in integers with 10 fractional bits, uint8 in floats;
// XNNPACK's 8 bits in integers with 11.
struct ResizeOfQuantized {
  ResizeAttributes resize;
  int zero_in = 0;
  int zero_out = 0;
  bool is_unsigned = false;
  bool is_int16 = false;
  bool by_xnnpack = false;  // not for int16
};

// How the node's result of shape `to` is interpolated from its source of shape
// `from`; `of` is not set.
MemoryView BilinearView(const Node& node, const Shape& from, const Shape& to);

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_IMAGE_RESIZE_H_
