// The custom ops MaxPoolingWithArgmax2D and MaxUnpooling2D of on-device vision
// models (MediaPipe's hair segmentation). Parameters: TFLite's pool struct.
// BHWC, any batch.
//
// MaxPoolingWithArgmax2D outputs the pooled tensor and, as floats of the same
// shape, y * filter_width + x + 0.1 of the first maximum in its window (0.1 so
// that truncation gives the integer). MaxUnpooling2D takes data [B,H,W,C] and
// such indices; y [B,H*fh,W*fw,C] is zero except at the indices. Strides must
// equal the window's size.
#ifndef GLES_DELEGATE_DELEGATE_OPS_POOLING_ARGMAX_POOL_H_
#define GLES_DELEGATE_DELEGATE_OPS_POOLING_ARGMAX_POOL_H_

#include "delegate/graph/op.h"
#include "delegate/ops/padding.h"

namespace gles_delegate {

struct ArgmaxPoolAttributes {
  Window h, w;
  int pad_top = 0;
  int pad_left = 0;
};

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_POOLING_ARGMAX_POOL_H_
