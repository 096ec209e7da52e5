// The custom op Resampler, by its definition.
#include <cmath>

#include "delegate/tflite/custom_ops/custom_ops.h"
#include "delegate/tflite/custom_ops/kernel_util.h"

namespace gles_delegate {
namespace {

using custom_ops::TensorAt;

constexpr char kName[] = "Resampler";

absl::Status Prepare(TfLiteContext* context, TfLiteNode* node) {
  const std::vector<int> data =
      custom_ops::Dims(TensorAt(context, node->inputs, 0));
  const std::vector<int> warp =
      custom_ops::Dims(TensorAt(context, node->inputs, 1));
  if (data.size() != 4 || warp.size() != 4 || warp[0] != data[0] ||
      warp[3] != 2) {
    return absl::InvalidArgumentError(
        "needs data BHWC and a warp BHW2 of its batch");
  }
  return custom_ops::Resize(context, TensorAt(context, node->outputs, 0),
                            {data[0], warp[1], warp[2], data[3]});
}

absl::Status Invoke(TfLiteContext* context, TfLiteNode* node) {
  const TfLiteTensor& data = TensorAt(context, node->inputs, 0);
  const TfLiteTensor& warp = TensorAt(context, node->inputs, 1);
  float* out = TensorAt(context, node->outputs, 0).data.f;
  const std::vector<int> d = custom_ops::Dims(data);
  const std::vector<int> w = custom_ops::Dims(warp);
  const int height = d[1], width = d[2], channels = d[3];
  const float* at = warp.data.f;
  for (int b = 0; b < d[0]; ++b) {
    const float* image = data.data.f + int64_t{b} * height * width * channels;
    const auto pixel = [&](int x, int y, int c) {
      return x >= 0 && y >= 0 && x < width && y < height
                 ? image[(y * width + x) * channels + c]
                 : 0.0f;
    };
    for (int p = 0; p < w[1] * w[2]; ++p, at += 2) {
      const float x = at[0], y = at[1];
      const bool inside = x > -1.0f && y > -1.0f &&
                          x < static_cast<float>(width) &&
                          y < static_cast<float>(height);
      for (int c = 0; c < channels; ++c) {
        if (!inside) {
          *out++ = 0;
          continue;
        }
        const int left = static_cast<int>(std::floor(x));
        const int top = static_cast<int>(std::floor(y));
        const float tx = x - left, ty = y - top;
        *out++ = (1 - tx) * (1 - ty) * pixel(left, top, c) +
                 tx * (1 - ty) * pixel(left + 1, top, c) +
                 (1 - tx) * ty * pixel(left, top + 1, c) +
                 tx * ty * pixel(left + 1, top + 1, c);
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace

TfLiteRegistration ResamplerRegistration() {
  return custom_ops::Registration<kName, 2, 1, Prepare, Invoke>();
}

}  // namespace gles_delegate
