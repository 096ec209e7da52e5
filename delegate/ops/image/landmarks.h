// The custom ops of landmark models with attention (MediaPipe's face mesh):
// each at versions 1 and 2, which differ in their parameters and shapes
// (delegate/graph/custom_params.h). Matrices are [1,4,4].
//
// TransformTensorBilinear: data [1,H,W,C] and a matrix m. y [1,h,w,C] at (x, y)
// is the data at (m00 x + m01 y + m03, m10 x + m11 y + m13), bilinearly, 0
// outside [0, W-1] x [0, H-1]. Version 2 counts pixels by their middles.
// TransformLandmarks: landmarks (x, y[, z]) and a matrix: x and y transformed
// likewise (version 1 multiplies m03 and m13 by `scale`), z as it is. Version
// 1: [1,1,1,N*D], version 2: [1,N,D]. Landmarks2TransformMatrix: landmarks (x,
// y, z) to the matrix that cuts out the box around a subset of them, turned so
// that two of them are level. Version 1: [1,1,1,N*3], version 2: [1,N,3].
#ifndef GLES_DELEGATE_DELEGATE_OPS_IMAGE_LANDMARKS_H_
#define GLES_DELEGATE_DELEGATE_OPS_IMAGE_LANDMARKS_H_

#include "delegate/graph/op.h"

namespace gles_delegate {

ParseFunction ParseTransformTensorBilinear;
PlanFunction PlanTransformTensorBilinear;

ParseFunction ParseTransformLandmarks;
PlanFunction PlanTransformLandmarks;

// kUnimplemented: version 1 with an output of one pixel, by whose size less one
// it divides.
ParseFunction ParseLandmarksToTransformMatrix;
PlanFunction PlanLandmarksToTransformMatrix;

}  // namespace gles_delegate

#endif  // GLES_DELEGATE_DELEGATE_OPS_IMAGE_LANDMARKS_H_
