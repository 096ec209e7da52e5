// The custom op MaxPoolingWithArgmax2D, by its definition.
#include <algorithm>
#include <limits>

#include "base/status_macros.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/tflite/custom_ops/custom_ops.h"
#include "delegate/tflite/custom_ops/kernel_util.h"

namespace gles_delegate {
namespace {

using custom_ops::TensorAt;

constexpr char kName[] = "MaxPoolingWithArgmax2D";

struct Axis {
  int in, out, stride, window, pad;
};

Axis MakeAxis(int in, int stride, int window, bool same) {
  const int out =
      same ? (in + stride - 1) / stride : (in - window + stride) / stride;
  const int total = (out - 1) * stride + window - in;
  return {in, out, stride, window, total > 0 ? total / 2 : 0};
}

struct Geometry {
  Axis y, x;
};

float Activate(float v, int activation) {
  switch (activation) {
    case kActRelu:
      return std::max(v, 0.0f);
    case kActReluN1To1:
      return std::clamp(v, -1.0f, 1.0f);
    case kActRelu6:
      return std::clamp(v, 0.0f, 6.0f);
    default:
      return v;
  }
}

Geometry MakeGeometry(const TfLiteTensor& input, const CustomPoolParams& p) {
  const bool same = p.padding == kPaddingSame;
  return {MakeAxis(input.dims->data[1], p.stride_height, p.filter_height, same),
          MakeAxis(input.dims->data[2], p.stride_width, p.filter_width, same)};
}

absl::Status Prepare(TfLiteContext* context, TfLiteNode* node) {
  ASSIGN_OR_RETURN(const auto p, ReadPoolParams(custom_ops::ParamsOf(node)));
  const TfLiteTensor& input = TensorAt(context, node->inputs, 0);
  if (input.dims->size != 4 || p.activation < 0 || p.activation > 3 ||
      (p.padding != kPaddingSame && p.padding != kPaddingValid)) {
    return absl::InvalidArgumentError(
        "needs rank 4, SAME (1) or VALID (2) "
        "padding, and RELU's kind of activation");
  }
  const Geometry g = MakeGeometry(input, p);
  if (g.y.out < 1 || g.x.out < 1) {
    return absl::InvalidArgumentError("the window is larger than the input");
  }
  for (int i : {0, 1}) {
    RETURN_IF_ERROR(custom_ops::Resize(
        context, TensorAt(context, node->outputs, i),
        {input.dims->data[0], g.y.out, g.x.out, input.dims->data[3]}));
  }
  return absl::OkStatus();
}

absl::Status Invoke(TfLiteContext* context, TfLiteNode* node) {
  ASSIGN_OR_RETURN(const auto p, ReadPoolParams(custom_ops::ParamsOf(node)));
  const TfLiteTensor& input = TensorAt(context, node->inputs, 0);
  const Geometry g = MakeGeometry(input, p);
  const int channels = input.dims->data[3];
  float* pooled = TensorAt(context, node->outputs, 0).data.f;
  float* indices = TensorAt(context, node->outputs, 1).data.f;
  for (int b = 0; b < input.dims->data[0]; ++b) {
    const float* image = input.data.f + int64_t{b} * g.y.in * g.x.in * channels;
    for (int y = 0; y < g.y.out; ++y) {
      for (int x = 0; x < g.x.out; ++x) {
        for (int c = 0; c < channels; ++c) {
          float max = std::numeric_limits<float>::lowest();
          int index = 0;
          for (int k = 0; k < g.y.window * g.x.window; ++k) {
            const int iy = y * g.y.stride - g.y.pad + k / g.x.window;
            const int ix = x * g.x.stride - g.x.pad + k % g.x.window;
            if (iy < 0 || iy >= g.y.in || ix < 0 || ix >= g.x.in) continue;
            const float v = image[(iy * g.x.in + ix) * channels + c];
            if (v > max) {
              max = v;
              index = k;
            }
          }
          *pooled++ = Activate(max, p.activation);
          *indices++ = static_cast<float>(index) + 0.1f;
        }
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace

TfLiteRegistration MaxPoolingWithArgmax2DRegistration() {
  return custom_ops::Registration<kName, 1, 2, Prepare, Invoke>();
}

}  // namespace gles_delegate
