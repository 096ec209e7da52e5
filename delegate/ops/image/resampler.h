// The custom op Resampler: y[b,h,w,:] is the data at pixel (x, y) of
// warp[b,h,w], between four pixels bilinearly, a pixel outside the data
// counting as 0; and 0 where x or y is not within (-1, W) or (-1, H). Data
// [B,H,W,C], warp [B,h,w,2]. kInvalidArgument: shapes that disagree.
#ifndef GLES_DELEGATE_DELEGATE_OPS_IMAGE_RESAMPLER_H_
#define GLES_DELEGATE_DELEGATE_OPS_IMAGE_RESAMPLER_H_

#include "delegate/graph/op.h"

namespace gles_delegate {

// No attributes.
ParseFunction ParseResampler;
PlanFunction PlanResampler;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_IMAGE_RESAMPLER_H_
