// The custom op Convolution2DTransposeBias, by its definition.
#include <algorithm>
#include <cstring>

#include "base/status_macros.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/tflite/custom_ops/custom_ops.h"
#include "delegate/tflite/custom_ops/kernel_util.h"

namespace gles_delegate {
namespace {

constexpr char kName[] = "Convolution2DTransposeBias";

struct Params {
  int32_t padding;
  int32_t stride_width;
  int32_t stride_height;
};

// One spatial axis: the output's start and length.
struct Axis {
  int in;
  int stride;
  int kernel;
  int padding_before;
  int out;
};

Axis MakeAxis(int in, int stride, int kernel, bool same) {
  const int total = same ? std::max(0, kernel - (in - 1) % stride - 1) : 0;
  return {in, stride, kernel, total / 2, stride * (in - 1) + kernel - total};
}

TfLiteTensor* TensorAt(TfLiteContext* context, const TfLiteIntArray* list,
                       int i) {
  return &custom_ops::TensorAt(context, list, i);
}

absl::StatusOr<Params> ReadParams(const TfLiteNode* node) {
  const CustomBytes bytes = custom_ops::ParamsOf(node);
  if (bytes.size() < sizeof(Params)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "its parameters have ", bytes.size(), " bytes, not ", sizeof(Params)));
  }
  // The bytes are in the model file, which does not align them.
  Params params;
  std::memcpy(&params, bytes.data(), sizeof(Params));
  if ((params.padding != kPaddingSame && params.padding != kPaddingValid) ||
      params.stride_width < 1 || params.stride_height < 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "padding ", params.padding, ", strides ", params.stride_width, " and ",
        params.stride_height, ": padding is 1 or 2, strides are positive"));
  }
  return params;
}

absl::Status CheckTensors(TfLiteContext* context, const TfLiteNode* node) {
  const TfLiteIntArray& data = *TensorAt(context, node->inputs, 0)->dims;
  const TfLiteIntArray& weights = *TensorAt(context, node->inputs, 1)->dims;
  const TfLiteIntArray& bias = *TensorAt(context, node->inputs, 2)->dims;
  if (data.size != 4 || weights.size != 4 || bias.size != 1 ||
      weights.data[3] != data.data[3] || bias.data[0] != weights.data[0]) {
    return absl::InvalidArgumentError(
        "needs data BHWI, weights OHWI and bias O with equal I and O");
  }
  return absl::OkStatus();
}

struct Geometry {
  Axis y;
  Axis x;
};

Geometry MakeGeometry(TfLiteContext* context, const TfLiteNode* node,
                      const Params& params) {
  const int* data = TensorAt(context, node->inputs, 0)->dims->data;
  const int* weights = TensorAt(context, node->inputs, 1)->dims->data;
  const bool same = params.padding == kPaddingSame;
  return {MakeAxis(data[1], params.stride_height, weights[1], same),
          MakeAxis(data[2], params.stride_width, weights[2], same)};
}

absl::Status Prepare(TfLiteContext* context, TfLiteNode* node) {
  RETURN_IF_ERROR(CheckTensors(context, node));
  ASSIGN_OR_RETURN(const auto params, ReadParams(node));
  const Geometry g = MakeGeometry(context, node, params);
  return custom_ops::Resize(
      context, *TensorAt(context, node->outputs, 0),
      {TensorAt(context, node->inputs, 0)->dims->data[0], g.y.out, g.x.out,
       TensorAt(context, node->inputs, 1)->dims->data[0]});
}

// Adds one input pixel's contribution to every output pixel that it reaches.
void Scatter(const Geometry& g, int y, int x, const float* in, int in_channels,
             const float* weights, int out_channels, float* out) {
  for (int ky = 0; ky < g.y.kernel; ++ky) {
    const int oy = g.y.stride * y - g.y.padding_before + ky;
    if (oy < 0 || oy >= g.y.out) continue;
    for (int kx = 0; kx < g.x.kernel; ++kx) {
      const int ox = g.x.stride * x - g.x.padding_before + kx;
      if (ox < 0 || ox >= g.x.out) continue;
      for (int o = 0; o < out_channels; ++o) {
        const float* w =
            weights + ((o * g.y.kernel + ky) * g.x.kernel + kx) * in_channels;
        float sum = 0;
        for (int i = 0; i < in_channels; ++i) sum += in[i] * w[i];
        out[(oy * g.x.out + ox) * out_channels + o] += sum;
      }
    }
  }
}

absl::Status Invoke(TfLiteContext* context, TfLiteNode* node) {
  ASSIGN_OR_RETURN(const auto params, ReadParams(node));
  const Geometry g = MakeGeometry(context, node, params);
  const TfLiteTensor* data = TensorAt(context, node->inputs, 0);
  const float* weights = TensorAt(context, node->inputs, 1)->data.f;
  const TfLiteTensor* bias = TensorAt(context, node->inputs, 2);
  const int in_channels = data->dims->data[3];
  const int out_channels = bias->dims->data[0];
  const float* in = data->data.f;
  float* out = TensorAt(context, node->outputs, 0)->data.f;
  for (int b = 0; b < data->dims->data[0]; ++b) {
    for (int p = 0; p < g.y.out * g.x.out; ++p) {
      std::copy_n(bias->data.f, out_channels, out + p * out_channels);
    }
    for (int y = 0; y < g.y.in; ++y) {
      for (int x = 0; x < g.x.in; ++x) {
        Scatter(g, y, x, in, in_channels, weights, out_channels, out);
        in += in_channels;
      }
    }
    out += g.y.out * g.x.out * out_channels;
  }
  return absl::OkStatus();
}

}  // namespace

TfLiteRegistration Convolution2DTransposeBiasRegistration() {
  return custom_ops::Registration<kName, 3, 1, Prepare, Invoke>();
}

}  // namespace gles_delegate
