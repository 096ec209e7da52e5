// Models of the custom ops of vision models, and their parameters as the
// models hold them.
#ifndef GLES_DELEGATE_TOOLS_OP_MODELS_OP_BUILDERS_CUSTOM_H_
#define GLES_DELEGATE_TOOLS_OP_MODELS_OP_BUILDERS_CUSTOM_H_

#include <cstdint>
#include <vector>

#include "delegate/graph/custom_params.h"
#include "flatbuffers/flexbuffers.h"
#include "tools/op_models/op_model.h"

namespace gles_delegate::testing {

std::vector<uint8_t> PoolBytes(CustomPoolParams p);
SingleOpModel ArgmaxPool(const Shape& in, const CustomPoolParams& p);
// MaxUnpooling2D by height x width.
SingleOpModel Unpool(const Shape& in, int height, int width);

SingleOpModel Resample(const Shape& data, const Shape& warp);

std::vector<uint8_t> TransformTensorBytes(int version, int height, int width);
// TransformTensorBilinear to height x width by a 4x4 matrix.
SingleOpModel TransformTensor(int version, const Shape& data, int height,
                              int width, std::vector<float> matrix);
// A 4x4 matrix, exact in half: multiples of 1/16.
const std::vector<float>& Shear();

std::vector<uint8_t> LandmarksBytes(int dimensions, float scale);
// TransformLandmarks.
SingleOpModel TransformPoints(int version, int count, int dimensions,
                              float scale);

struct MatrixCase {
  int version = 2;
  int left = 1, right = 3;
  float target = 0.5f;
  std::vector<int> subset = {0, 2, 4, 5, 1};
};

std::vector<uint8_t> MatrixBytes(const MatrixCase& c);
// Landmarks2TransformMatrix.
SingleOpModel ToMatrix(const MatrixCase& c, int count = 7);

// A flexbuffer of one map, which `fill` fills.
template <typename Fill>
std::vector<uint8_t> FlexMap(Fill fill) {
  flexbuffers::Builder builder;
  builder.Map([&] { fill(builder); });
  builder.Finish();
  return builder.GetBuffer();
}

}  // namespace gles_delegate::testing

#endif  // GLES_DELEGATE_TOOLS_OP_MODELS_OP_BUILDERS_CUSTOM_H_
