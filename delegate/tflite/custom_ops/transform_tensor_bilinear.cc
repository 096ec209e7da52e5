// The custom op TransformTensorBilinear, by its definition.

#include "base/status_macros.h"
#include "delegate/tflite/custom_ops/custom_ops.h"
#include "delegate/tflite/custom_ops/kernel_util.h"

namespace gles_delegate {
namespace {

using custom_ops::TensorAt;

constexpr char kName[] = "TransformTensorBilinear";

template <int kVersion>
absl::Status Prepare(TfLiteContext* context, TfLiteNode* node) {
  ASSIGN_OR_RETURN(const auto p, ReadTransformTensorParams(
                                     custom_ops::ParamsOf(node), kVersion));
  const std::vector<int> dims =
      custom_ops::Dims(TensorAt(context, node->inputs, 0));
  if (dims.size() != 4 || dims[0] != 1 ||
      custom_ops::Count(TensorAt(context, node->inputs, 1)) != 16) {
    return absl::InvalidArgumentError("needs data 1HWC and a 4x4 matrix");
  }
  return custom_ops::Resize(context, TensorAt(context, node->outputs, 0),
                            {1, p.output_height, p.output_width, dims[3]});
}

template <int kVersion>
absl::Status Invoke(TfLiteContext* context, TfLiteNode* node) {
  ASSIGN_OR_RETURN(const auto p, ReadTransformTensorParams(
                                     custom_ops::ParamsOf(node), kVersion));
  const TfLiteTensor& data = TensorAt(context, node->inputs, 0);
  const float* m = TensorAt(context, node->inputs, 1).data.f;
  float* out = TensorAt(context, node->outputs, 0).data.f;
  const std::vector<int> d = custom_ops::Dims(data);
  const int height = d[1], width = d[2], channels = d[3];
  float shift_x = m[3], shift_y = m[7];
  if (p.half_pixel_centers) {
    shift_x += 0.5f * m[0] + 0.5f * m[1] - 0.5f;
    shift_y += 0.5f * m[4] + 0.5f * m[5] - 0.5f;
  }
  const auto pixel = [&](int x, int y, int c) {
    return x < width && y < height ? data.data.f[(y * width + x) * channels + c]
                                   : 0.0f;
  };
  for (int oy = 0; oy < p.output_height; ++oy) {
    for (int ox = 0; ox < p.output_width; ++ox) {
      const float x = m[0] * ox + m[1] * oy + shift_x;
      const float y = m[4] * ox + m[5] * oy + shift_y;
      const bool inside = x >= 0 && y >= 0 && x <= width - 1 && y <= height - 1;
      for (int c = 0; c < channels; ++c) {
        if (!inside) {
          *out++ = 0;
          continue;
        }
        const int left = static_cast<int>(x), top = static_cast<int>(y);
        const float tx = x - left, ty = y - top;
        const float upper =
            (1 - tx) * pixel(left, top, c) + tx * pixel(left + 1, top, c);
        const float lower = (1 - tx) * pixel(left, top + 1, c) +
                            tx * pixel(left + 1, top + 1, c);
        *out++ = (1 - ty) * upper + ty * lower;
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace

TfLiteRegistration TransformTensorBilinearRegistration(int version) {
  return version == 1
             ? custom_ops::Registration<kName, 2, 1, Prepare<1>, Invoke<1>>()
             : custom_ops::Registration<kName, 2, 1, Prepare<2>, Invoke<2>>();
}

}  // namespace gles_delegate
