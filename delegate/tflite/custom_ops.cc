#include "delegate/tflite/custom_ops.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/graph/custom_params.h"
#include "egl/caught.h"

namespace gles_delegate {
namespace {

// A call of a kernel for a node whose tensors are all float32.
struct Call {
  TfLiteContext* context;
  const TfLiteNode* node;

  TfLiteTensor& in(int i) const {
    return context->tensors[node->inputs->data[i]];
  }
  TfLiteTensor& out(int i) const {
    return context->tensors[node->outputs->data[i]];
  }
  CustomBytes params() const {
    if (node->custom_initial_data == nullptr) return {};
    return {static_cast<const uint8_t*>(node->custom_initial_data),
            static_cast<size_t>(std::max(0, node->custom_initial_data_size))};
  }
  absl::Status Resize(int output, const std::vector<int>& dims) const {
    TfLiteIntArray* array = NewIntArray(dims);
    return array != nullptr && context->ResizeTensor(context, &out(output),
                                                     array) == kTfLiteOk
               ? absl::OkStatus()
               : absl::InternalError("an output was not resized");
  }
};

// kInvalidArgument unless the op has `inputs` inputs and `outputs` outputs, all
// float32.
absl::Status CheckFloats(const TfLiteContext* context, const TfLiteNode* node,
                         int inputs, int outputs) {
  bool ok = node->inputs->size == inputs && node->outputs->size == outputs;
  for (const TfLiteIntArray* list : {node->inputs, node->outputs}) {
    for (int i = 0; ok && i < list->size; ++i) {
      ok = list->data[i] >= 0 &&
           context->tensors[list->data[i]].type == kTfLiteFloat32;
    }
  }
  if (ok) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "needs ", inputs, " inputs and ", outputs, " outputs, float32"));
}

std::vector<int> Dims(const TfLiteTensor& tensor) {
  std::vector<int> dims(tensor.dims->size);
  std::copy_n(tensor.dims->data, tensor.dims->size, dims.begin());
  return dims;
}

int64_t Count(const TfLiteTensor& tensor) {
  int64_t count = 1;
  for (int d : Dims(tensor)) count *= d;
  return count;
}

// Windows along one spatial axis.
struct Axis {
  int in, out, stride, window, pad;
};
struct Geometry {
  Axis y, x;
};

struct Convolution2DTransposeBias {
  static constexpr char kName[] = "Convolution2DTransposeBias";
  static constexpr int kInputs = 3, kOutputs = 1;

  struct Params {
    int32_t padding;
    int32_t stride_width;
    int32_t stride_height;
  };

  static Axis MakeAxis(int in, int stride, int kernel, bool same) {
    const int total = same ? std::max(0, kernel - (in - 1) % stride - 1) : 0;
    return {in, stride * (in - 1) + kernel - total, stride, kernel, total / 2};
  }

  static absl::StatusOr<Params> ReadParams(const Call& call) {
    const CustomBytes bytes = call.params();
    if (bytes.size() < sizeof(Params)) {
      return absl::InvalidArgumentError(
          absl::StrCat("its parameters have ", bytes.size(), " bytes, not ",
                       sizeof(Params)));
    }
    // The bytes are in the model file, which does not align them.
    Params params;
    std::memcpy(&params, bytes.data(), sizeof(Params));
    if ((params.padding != kPaddingSame && params.padding != kPaddingValid) ||
        params.stride_width < 1 || params.stride_height < 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("padding ", params.padding, ", strides ",
                       params.stride_width, " and ", params.stride_height,
                       ": padding is 1 or 2, strides are positive"));
    }
    return params;
  }

  static absl::Status CheckTensors(const Call& call) {
    const TfLiteIntArray& data = *call.in(0).dims;
    const TfLiteIntArray& weights = *call.in(1).dims;
    const TfLiteIntArray& bias = *call.in(2).dims;
    if (data.size != 4 || weights.size != 4 || bias.size != 1 ||
        weights.data[3] != data.data[3] || bias.data[0] != weights.data[0]) {
      return absl::InvalidArgumentError(
          "needs data BHWI, weights OHWI and bias O with equal I and O");
    }
    return absl::OkStatus();
  }

  static Geometry MakeGeometry(const Call& call, const Params& params) {
    const int* data = call.in(0).dims->data;
    const int* weights = call.in(1).dims->data;
    const bool same = params.padding == kPaddingSame;
    return {MakeAxis(data[1], params.stride_height, weights[1], same),
            MakeAxis(data[2], params.stride_width, weights[2], same)};
  }

  static absl::Status Prepare(const Call& call) {
    RETURN_IF_ERROR(CheckTensors(call));
    ASSIGN_OR_RETURN(const auto params, ReadParams(call));
    const Geometry g = MakeGeometry(call, params);
    return call.Resize(0, {call.in(0).dims->data[0], g.y.out, g.x.out,
                           call.in(1).dims->data[0]});
  }

  // Adds one input pixel's contribution to every output pixel that it reaches.
  static void Scatter(const Geometry& g, int y, int x, const float* in,
                      int in_channels, const float* weights, int out_channels,
                      float* out) {
    for (int ky = 0; ky < g.y.window; ++ky) {
      const int oy = g.y.stride * y - g.y.pad + ky;
      if (oy < 0 || oy >= g.y.out) continue;
      for (int kx = 0; kx < g.x.window; ++kx) {
        const int ox = g.x.stride * x - g.x.pad + kx;
        if (ox < 0 || ox >= g.x.out) continue;
        for (int o = 0; o < out_channels; ++o) {
          const float* w =
              weights + ((o * g.y.window + ky) * g.x.window + kx) * in_channels;
          float sum = 0;
          for (int i = 0; i < in_channels; ++i) sum += in[i] * w[i];
          out[(oy * g.x.out + ox) * out_channels + o] += sum;
        }
      }
    }
  }

  static absl::Status Invoke(const Call& call) {
    ASSIGN_OR_RETURN(const auto params, ReadParams(call));
    const Geometry g = MakeGeometry(call, params);
    const TfLiteTensor& data = call.in(0);
    const float* weights = call.in(1).data.f;
    const TfLiteTensor& bias = call.in(2);
    const int in_channels = data.dims->data[3];
    const int out_channels = bias.dims->data[0];
    const float* in = data.data.f;
    float* out = call.out(0).data.f;
    for (int b = 0; b < data.dims->data[0]; ++b) {
      for (int p = 0; p < g.y.out * g.x.out; ++p) {
        std::copy_n(bias.data.f, out_channels, out + p * out_channels);
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
};

struct MaxPoolingWithArgmax2D {
  static constexpr char kName[] = "MaxPoolingWithArgmax2D";
  static constexpr int kInputs = 1, kOutputs = 2;

  static Axis MakeAxis(int in, int stride, int window, bool same) {
    const int out =
        same ? (in + stride - 1) / stride : (in - window + stride) / stride;
    const int total = (out - 1) * stride + window - in;
    return {in, out, stride, window, total > 0 ? total / 2 : 0};
  }

  static float Activate(float v, int activation) {
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

  static Geometry MakeGeometry(const TfLiteTensor& input,
                               const CustomPoolParams& p) {
    const bool same = p.padding == kPaddingSame;
    return {
        MakeAxis(input.dims->data[1], p.stride_height, p.filter_height, same),
        MakeAxis(input.dims->data[2], p.stride_width, p.filter_width, same)};
  }

  static absl::Status Prepare(const Call& call) {
    ASSIGN_OR_RETURN(const auto p, ReadPoolParams(call.params()));
    const TfLiteTensor& input = call.in(0);
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
      RETURN_IF_ERROR(call.Resize(
          i, {input.dims->data[0], g.y.out, g.x.out, input.dims->data[3]}));
    }
    return absl::OkStatus();
  }

  static absl::Status Invoke(const Call& call) {
    ASSIGN_OR_RETURN(const auto p, ReadPoolParams(call.params()));
    const TfLiteTensor& input = call.in(0);
    const Geometry g = MakeGeometry(input, p);
    const int channels = input.dims->data[3];
    float* pooled = call.out(0).data.f;
    float* indices = call.out(1).data.f;
    for (int b = 0; b < input.dims->data[0]; ++b) {
      const float* image =
          input.data.f + int64_t{b} * g.y.in * g.x.in * channels;
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
};

struct MaxUnpooling2D {
  static constexpr char kName[] = "MaxUnpooling2D";
  static constexpr int kInputs = 2, kOutputs = 1;

  static absl::Status Prepare(const Call& call) {
    ASSIGN_OR_RETURN(const auto p, ReadPoolParams(call.params()));
    const TfLiteTensor& data = call.in(0);
    const std::vector<int> dims = Dims(data);
    if (dims.size() != 4 || dims != Dims(call.in(1)) ||
        p.stride_height != p.filter_height ||
        p.stride_width != p.filter_width) {
      return absl::InvalidArgumentError(
          "needs data and indices of one shape and "
          "rank 4, and strides as large as the window");
    }
    return call.Resize(0, {dims[0], dims[1] * p.filter_height,
                           dims[2] * p.filter_width, dims[3]});
  }

  static absl::Status Invoke(const Call& call) {
    ASSIGN_OR_RETURN(const auto p, ReadPoolParams(call.params()));
    const TfLiteTensor& data = call.in(0);
    const TfLiteTensor& indices = call.in(1);
    TfLiteTensor& output = call.out(0);
    const std::vector<int> dims = Dims(data);
    std::fill_n(output.data.f, Count(output), 0.0f);
    const int width = dims[2] * p.filter_width;
    int64_t at = 0;
    for (int row = 0; row < dims[0] * dims[1]; ++row) {
      for (int x = 0; x < dims[2]; ++x) {
        for (int c = 0; c < dims[3]; ++c, ++at) {
          const int index = static_cast<int>(indices.data.f[at]);
          // Drops indices outside the window.
          if (index < 0 || index >= p.filter_width * p.filter_height) continue;
          const int64_t oy =
              int64_t{row} * p.filter_height + index / p.filter_width;
          const int ox = x * p.filter_width + index % p.filter_width;
          output.data.f[(oy * width + ox) * dims[3] + c] = data.data.f[at];
        }
      }
    }
    return absl::OkStatus();
  }
};

struct Resampler {
  static constexpr char kName[] = "Resampler";
  static constexpr int kInputs = 2, kOutputs = 1;

  static absl::Status Prepare(const Call& call) {
    const std::vector<int> data = Dims(call.in(0));
    const std::vector<int> warp = Dims(call.in(1));
    if (data.size() != 4 || warp.size() != 4 || warp[0] != data[0] ||
        warp[3] != 2) {
      return absl::InvalidArgumentError(
          "needs data BHWC and a warp BHW2 of its batch");
    }
    return call.Resize(0, {data[0], warp[1], warp[2], data[3]});
  }

  static absl::Status Invoke(const Call& call) {
    const TfLiteTensor& data = call.in(0);
    const TfLiteTensor& warp = call.in(1);
    float* out = call.out(0).data.f;
    const std::vector<int> d = Dims(data);
    const std::vector<int> w = Dims(warp);
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
};

template <int kVersion>
struct TransformTensorBilinear {
  static constexpr char kName[] = "TransformTensorBilinear";
  static constexpr int kInputs = 2, kOutputs = 1;

  static absl::Status Prepare(const Call& call) {
    ASSIGN_OR_RETURN(const auto p,
                     ReadTransformTensorParams(call.params(), kVersion));
    const std::vector<int> dims = Dims(call.in(0));
    if (dims.size() != 4 || dims[0] != 1 || Count(call.in(1)) != 16) {
      return absl::InvalidArgumentError("needs data 1HWC and a 4x4 matrix");
    }
    return call.Resize(0, {1, p.output_height, p.output_width, dims[3]});
  }

  static absl::Status Invoke(const Call& call) {
    ASSIGN_OR_RETURN(const auto p,
                     ReadTransformTensorParams(call.params(), kVersion));
    const TfLiteTensor& data = call.in(0);
    const float* m = call.in(1).data.f;
    float* out = call.out(0).data.f;
    const std::vector<int> d = Dims(data);
    const int height = d[1], width = d[2], channels = d[3];
    float shift_x = m[3], shift_y = m[7];
    if (p.half_pixel_centers) {
      shift_x += 0.5f * m[0] + 0.5f * m[1] - 0.5f;
      shift_y += 0.5f * m[4] + 0.5f * m[5] - 0.5f;
    }
    const auto pixel = [&](int x, int y, int c) {
      return x < width && y < height
                 ? data.data.f[(y * width + x) * channels + c]
                 : 0.0f;
    };
    for (int oy = 0; oy < p.output_height; ++oy) {
      for (int ox = 0; ox < p.output_width; ++ox) {
        const float x = m[0] * ox + m[1] * oy + shift_x;
        const float y = m[4] * ox + m[5] * oy + shift_y;
        const bool inside =
            x >= 0 && y >= 0 && x <= width - 1 && y <= height - 1;
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
};

template <int kVersion>
struct TransformLandmarks {
  static constexpr char kName[] = "TransformLandmarks";
  static constexpr int kInputs = 2, kOutputs = 1;

  static absl::StatusOr<TransformLandmarksParams> Params(
      const Call& call, const TfLiteTensor& landmarks) {
    auto p = ReadTransformLandmarksParams(call.params(), kVersion);
    if (!p.ok()) return p;
    const std::vector<int> dims = Dims(landmarks);
    if (dims.size() != (kVersion == 1 ? 4 : 3) || dims[0] != 1) {
      return absl::InvalidArgumentError(
          "needs landmarks of batch 1 and rank 4, "
          "in version 2 rank 3");
    }
    if (kVersion == 2) p->dimensions = dims[2];
    if ((p->dimensions != 2 && p->dimensions != 3) ||
        dims.back() % p->dimensions != 0) {
      return absl::InvalidArgumentError("needs landmarks of 2 or 3 dimensions");
    }
    return p;
  }

  static absl::Status Prepare(const Call& call) {
    const TfLiteTensor& landmarks = call.in(0);
    RETURN_IF_ERROR(Params(call, landmarks).status());
    if (Count(call.in(1)) != 16) {
      return absl::InvalidArgumentError("needs a 4x4 matrix");
    }
    return call.Resize(0, Dims(landmarks));
  }

  static absl::Status Invoke(const Call& call) {
    const TfLiteTensor& landmarks = call.in(0);
    ASSIGN_OR_RETURN(const auto p, Params(call, landmarks));
    const float* m = call.in(1).data.f;
    const float* in = landmarks.data.f;
    float* out = call.out(0).data.f;
    const int64_t count = Count(landmarks) / p.dimensions;
    for (int64_t i = 0; i < count; ++i) {
      out[0] = m[0] * in[0] + m[1] * in[1] + m[3] * p.scale;
      out[1] = m[4] * in[0] + m[5] * in[1] + m[7] * p.scale;
      if (p.dimensions == 3) out[2] = in[2];
      in += p.dimensions;
      out += p.dimensions;
    }
    return absl::OkStatus();
  }
};

// --- Landmarks2TransformMatrix -----------------------------------------------

// Matrices are multiplied out, angles are angles. 3x3, row by row: of points
// (x, y, 1).
using Matrix = std::array<double, 9>;

Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix result = {};
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) {
      for (int k = 0; k < 3; ++k) {
        result[r * 3 + c] += a[r * 3 + k] * b[k * 3 + c];
      }
    }
  }
  return result;
}

struct Point {
  double x, y;
};

Point Rotate(Point p, double angle) {
  return {p.x * std::cos(angle) - p.y * std::sin(angle),
          p.x * std::sin(angle) + p.y * std::cos(angle)};
}

struct Box {
  double width, height;
  Point middle;
};

// Of the subset, each landmark rotated by `angle`.
Box BoxOf(const LandmarksToMatrixParams& p, const float* landmarks,
          double angle) {
  const auto at = [&](int i) {
    return Rotate({landmarks[3 * i], landmarks[3 * i + 1]}, angle);
  };
  Point min = at(p.subset[0]), max = min;
  for (int i : p.subset) {
    const Point q = at(i);
    min = {std::min(min.x, q.x), std::min(min.y, q.y)};
    max = {std::max(max.x, q.x), std::max(max.y, q.y)};
  }
  return {
      max.x - min.x, max.y - min.y, {(max.x + min.x) / 2, (max.y + min.y) / 2}};
}

Matrix Version1(const LandmarksToMatrixParams& p, const float* l) {
  const double angle =
      -std::atan((static_cast<double>(l[3 * p.right + 1]) - l[3 * p.left + 1]) /
                 (static_cast<double>(l[3 * p.right]) - l[3 * p.left]));
  const Box box = BoxOf(p, l, angle);
  const Point middle = Rotate(box.middle, -angle);
  const double c = std::cos(-angle), s = std::sin(-angle), range = p.range;
  const Matrix scale = {box.width * p.multiplier / range,
                        0,
                        0,
                        0,
                        box.height * p.multiplier / range,
                        0,
                        0,
                        0,
                        1};
  const Matrix rotation = {
      c, -s, middle.x / range * 2 - 1, s, c, middle.y / range * 2 - 1, 0, 0, 1};
  const Matrix to_relative = {2 / (p.output_width - 1.0),
                              0,
                              -1,
                              0,
                              2 / (p.output_height - 1.0),
                              -1,
                              0,
                              0,
                              1};
  const double half_w = (p.input_width - 1.0) / 2;
  const double half_h = (p.input_height - 1.0) / 2;
  const Matrix to_absolute = {half_w, 0, half_w, 0, half_h, half_h, 0, 0, 1};
  return to_absolute * rotation * scale * to_relative;
}

Matrix Version2(const LandmarksToMatrixParams& p, const float* l) {
  const double angle =
      p.target_radians -
      std::atan2(static_cast<double>(l[3 * p.right + 1]) - l[3 * p.left + 1],
                 static_cast<double>(l[3 * p.right]) - l[3 * p.left]);
  const Box box = BoxOf(p, l, angle);
  const Point middle = Rotate(box.middle, -angle);
  const double c = std::cos(-angle), s = std::sin(-angle);
  const Matrix shift = {1, 0, middle.x, 0, 1, middle.y, 0, 0, 1};
  const Matrix rotation = {c, -s, 0, s, c, 0, 0, 0, 1};
  const Matrix scale = {p.scale_x * box.width / p.output_width,
                        0,
                        0,
                        0,
                        p.scale_y * box.height / p.output_height,
                        0,
                        0,
                        0,
                        1};
  const Matrix back = {
      1, 0, -p.output_width / 2.0, 0, 1, -p.output_height / 2.0, 0, 0, 1};
  return shift * rotation * scale * back;
}

template <int kVersion>
struct Landmarks2TransformMatrix {
  static constexpr char kName[] = "Landmarks2TransformMatrix";
  static constexpr int kInputs = 1, kOutputs = 1;

  static absl::StatusOr<LandmarksToMatrixParams> Params(
      const Call& call, const TfLiteTensor& landmarks) {
    const std::vector<int> dims = Dims(landmarks);
    const bool fits = kVersion == 1 ? dims.size() == 4 && dims.back() % 3 == 0
                                    : dims.size() == 3 && dims.back() == 3;
    const int64_t count = Count(landmarks);
    if (!fits || dims[0] != 1 ||
        (kVersion == 1 && (dims[1] != 1 || dims[2] != 1))) {
      return absl::InvalidArgumentError(
          "needs landmarks 1x1x1x(N*3), in version 2 1xNx3");
    }
    return ReadLandmarksToMatrixParams(call.params(), kVersion,
                                       static_cast<int>(count / 3));
  }

  static absl::Status Prepare(const Call& call) {
    RETURN_IF_ERROR(Params(call, call.in(0)).status());
    return call.Resize(0, {1, 4, 4});
  }

  static absl::Status Invoke(const Call& call) {
    const TfLiteTensor& landmarks = call.in(0);
    ASSIGN_OR_RETURN(const auto p, Params(call, landmarks));
    const Matrix m = kVersion == 1 ? Version1(p, landmarks.data.f)
                                   : Version2(p, landmarks.data.f);
    const double rows[16] = {m[0], m[1], 0, m[2], m[3], m[4], 0, m[5],
                             0,    0,    1, 0,    0,    0,    0, 1};
    float* out = call.out(0).data.f;
    for (int i = 0; i < 16; ++i) out[i] = static_cast<float>(rows[i]);
    return absl::OkStatus();
  }
};

// --- The list ----------------------------------------------------------------

// Its error is reported after the op's name.
template <typename Op>
TfLiteStatus Reported(TfLiteContext* context, TfLiteNode* node,
                      absl::Status (*function)(const Call&)) {
  const absl::Status status = egl::Caught([&] {
    return function({context, node});
  });
  if (status.ok()) return kTfLiteOk;
  const absl::string_view words = status.message();
  context->ReportError(context, "%s: %.*s\n", Op::kName,
                       static_cast<int>(words.size()), words.data());
  return kTfLiteError;
}

template <typename Op>
absl::Status PrepareFloats(const Call& call) {
  RETURN_IF_ERROR(
      CheckFloats(call.context, call.node, Op::kInputs, Op::kOutputs));
  return Op::Prepare(call);
}

template <typename Op>
CustomOp Row(int version = 1) {
  CustomOp op = {Op::kName, {}, version};
  TfLiteRegistration& registration = op.registration.base;
  registration.prepare = [](TfLiteContext* context, TfLiteNode* node) {
    return Reported<Op>(context, node, PrepareFloats<Op>);
  };
  registration.invoke = [](TfLiteContext* context, TfLiteNode* node) {
    return Reported<Op>(context, node, Op::Invoke);
  };
  registration.custom_name = Op::kName;
  registration.version = version;
  return op;
}

}  // namespace

absl::Span<const CustomOp> CustomOps() {
  static const auto& ops =
      *new std::vector<CustomOp>{Row<Convolution2DTransposeBias>(),
                                 Row<Landmarks2TransformMatrix<1>>(),
                                 Row<Landmarks2TransformMatrix<2>>(2),
                                 Row<MaxPoolingWithArgmax2D>(),
                                 Row<MaxUnpooling2D>(),
                                 Row<Resampler>(),
                                 Row<TransformLandmarks<1>>(),
                                 Row<TransformLandmarks<2>>(2),
                                 Row<TransformTensorBilinear<1>>(),
                                 Row<TransformTensorBilinear<2>>(2)};
  return ops;
}

}  // namespace gles_delegate
