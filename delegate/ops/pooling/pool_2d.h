// AVERAGE_POOL_2D and MAX_POOL_2D: the mean or maximum of a window's elements
// inside the image. BHWC, SAME or VALID, any stride, a fused activation.
// kInvalidArgument: a wrong output shape.
#ifndef GLES_DELEGATE_DELEGATE_OPS_POOLING_POOL_2D_H_
#define GLES_DELEGATE_DELEGATE_OPS_POOLING_POOL_2D_H_

#include <memory>
#include <optional>

#include "delegate/graph/op.h"
#include "delegate/ops/reduction/reduction.h"
#include "delegate/ops/sliding_window.h"

namespace gles_delegate {

struct PoolAttributes {
  Window h, w;
  AxisPadding pad_h, pad_w;
  // Elements outside the image are zeros of the window, as added by a PAD that
  // a pass fused; otherwise they are not part of the window, as with SAME.
  bool zeros = false;
  // 8-bit AVERAGE_POOL_2D in integers; else null.
  std::shared_ptr<const CodeSums> quantized;
};

// The result of a MAX_POOL_2D of at most 2x2 as a view of its source; `of` is
// not set. nullopt: the window is larger, counts outside elements, or begins
// outside.
std::optional<MemoryView> MaxPoolView(const Node& node);

// The custom ops MaxPoolingWithArgmax2D and MaxUnpooling2D of on-device vision
// models (MediaPipe's hair segmentation). Parameters: TFLite's pool struct.
// BHWC, any batch.
//
// MaxPoolingWithArgmax2D outputs the pooled tensor and, as floats of the same
// shape, y * filter_width + x + 0.1 of the first maximum in its window (0.1 so
// that truncation gives the integer). MaxUnpooling2D takes data [B,H,W,C] and
// such indices; y [B,H*fh,W*fw,C] is zero except at the indices. Strides must
// equal the window's size.
struct ArgmaxPoolAttributes {
  Window h, w;
  int pad_top = 0;
  int pad_left = 0;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_POOLING_POOL_2D_H_
