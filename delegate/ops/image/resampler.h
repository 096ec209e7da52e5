// The custom op Resampler: y[b,h,w,:] is the data at pixel (x, y) of
// warp[b,h,w], interpolated bilinearly with 0 outside the data; and 0 if x is
// not in (-1, W) or y not in (-1, H). Data [B,H,W,C], warp [B,h,w,2].
// kInvalidArgument: inconsistent shapes.
#ifndef GLES_DELEGATE_DELEGATE_OPS_IMAGE_RESAMPLER_H_
#define GLES_DELEGATE_DELEGATE_OPS_IMAGE_RESAMPLER_H_

#include "delegate/graph/op.h"

namespace gles_delegate {

// No attributes.
ParseFunction ParseResampler;
PlanFunction PlanResampler;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_IMAGE_RESAMPLER_H_
