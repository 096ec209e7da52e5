#include "delegate/tflite/custom_ops/custom_ops.h"

#include <vector>

namespace gles_delegate {
namespace {

CustomOp Row(const char* name, const TfLiteRegistration& registration,
             int version) {
  CustomOp op = {name, {}, version};
  op.registration.base = registration;
  op.registration.base.custom_name = name;
  op.registration.base.version = version;
  return op;
}

}  // namespace

absl::Span<const CustomOp> CustomOps() {
  static const auto& ops = *new std::vector<CustomOp>{
      Row("Convolution2DTransposeBias",
          Convolution2DTransposeBiasRegistration(), 1),
      Row("Landmarks2TransformMatrix",
          LandmarksToTransformMatrixRegistration(1), 1),
      Row("Landmarks2TransformMatrix",
          LandmarksToTransformMatrixRegistration(2), 2),
      Row("MaxPoolingWithArgmax2D", MaxPoolingWithArgmax2DRegistration(), 1),
      Row("MaxUnpooling2D", MaxUnpooling2DRegistration(), 1),
      Row("Resampler", ResamplerRegistration(), 1),
      Row("TransformLandmarks", TransformLandmarksRegistration(1), 1),
      Row("TransformLandmarks", TransformLandmarksRegistration(2), 2),
      Row("TransformTensorBilinear", TransformTensorBilinearRegistration(1), 1),
      Row("TransformTensorBilinear", TransformTensorBilinearRegistration(2), 2),
  };
  return ops;
}

}  // namespace gles_delegate
