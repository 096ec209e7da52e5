// Custom ops of landmark models with attention (MediaPipe's face mesh), in
// versions 1 and 2, which differ in parameters and shapes
// (delegate/graph/custom_params.h). Matrices are [1,4,4].
//
// TransformTensorBilinear: data [1,H,W,C] and a matrix m. Output [1,h,w,C] at
// (x, y) is the data at (m00 x + m01 y + m03, m10 x + m11 y + m13),
// interpolated bilinearly, and 0 outside [0, W-1] x [0, H-1]. In version 2 the
// centre of pixel (x, y) is at (x + 0.5, y + 0.5) instead of (x, y).
//
// TransformLandmarks: landmarks (x, y[, z]) and a matrix. x and y are
// transformed as above (version 1 multiplies m03 and m13 by `scale`), z is
// kept. Version 1: [1,1,1,N*D], version 2: [1,N,D].
//
// Landmarks2TransformMatrix: landmarks (x, y, z). The output is the matrix that
// crops the box around some of the landmarks, rotated so that two of them are
// level. Version 1: [1,1,1,N*3], version 2: [1,N,3].
#ifndef GLES_DELEGATE_DELEGATE_OPS_IMAGE_LANDMARKS_H_
#define GLES_DELEGATE_DELEGATE_OPS_IMAGE_LANDMARKS_H_

#include "delegate/graph/op.h"

namespace gles_delegate {

ParseFunction ParseTransformTensorBilinear;
PlanFunction PlanTransformTensorBilinear;

ParseFunction ParseTransformLandmarks;
PlanFunction PlanTransformLandmarks;

// kUnimplemented: version 1 with an output of one pixel, since it divides by
// the output's size minus one.
ParseFunction ParseLandmarksToTransformMatrix;
PlanFunction PlanLandmarksToTransformMatrix;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_IMAGE_LANDMARKS_H_
