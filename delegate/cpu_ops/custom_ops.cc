#include "delegate/cpu_ops/custom_ops.h"

#include <array>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/status_macros.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/graph/custom_params.h"
#include "egl/process.h"

namespace gles_delegate {
namespace {

std::vector<int> Dims(const TfLiteTensor& tensor) {
  return {tensor.dims->data, tensor.dims->data + tensor.dims->size};
}

int64_t Count(const TfLiteTensor& tensor) {
  int64_t count = 1;
  for (int d : Dims(tensor)) count *= d;
  return count;
}

// A call of a kernel for a node whose tensors are all float32.
struct Call {
  TfLiteContext* context;
  const TfLiteNode* node;
  int version;

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
};

// The shape of all outputs, or why the node cannot run.
using OutputDims = absl::StatusOr<std::vector<int>>;

// The channels of a pixel of a BHWC tensor; nullptr: beside it.
float* PixelAt(const TfLiteTensor& t, int b, int y, int x) {
  const int* d = t.dims->data;
  if (y < 0 || y >= d[1] || x < 0 || x >= d[2]) return nullptr;
  return t.data.f + ((int64_t{b} * d[1] + y) * d[2] + x) * d[3];
}

// Calls fn(b, y, x, the channels) for each pixel of a BHWC tensor.
template <typename Fn>
void ForEachPixel(const TfLiteTensor& t, const Fn& fn) {
  const int* d = t.dims->data;
  for (int b = 0; b < d[0]; ++b) {
    for (int y = 0; y < d[1]; ++y) {
      for (int x = 0; x < d[2]; ++x) fn(b, y, x, PixelAt(t, b, y, x));
    }
  }
}

// Windows along one spatial axis.
struct Axis {
  int out, stride, window, pad;
};
struct Geometry {
  Axis y, x;
};

// --- Convolution2DTransposeBias ----------------------------------------------

struct TransposeConvBiasParams {
  int32_t padding;
  int32_t stride_width;
  int32_t stride_height;
};

absl::StatusOr<Geometry> TransposeConvGeometry(const Call& call) {
  const CustomBytes bytes = call.params();
  TransposeConvBiasParams p;
  if (bytes.size() < sizeof(p)) {
    return Invalid("its parameters have ", bytes.size(), " bytes, not ",
                   sizeof(p));
  }
  // The bytes are in the model file, which does not align them.
  std::memcpy(&p, bytes.data(), sizeof(p));
  const bool is_same = p.padding == kPaddingSame;
  if ((!is_same && p.padding != kPaddingValid) || p.stride_width < 1 ||
      p.stride_height < 1) {
    return Invalid("padding ", p.padding, ", strides ", p.stride_width, " and ",
                   p.stride_height,
                   ": padding is 1 or 2, strides are positive");
  }
  const auto axis = [&](int i, int stride) -> Axis {
    const int in = call.in(0).dims->data[i];
    const int kernel = call.in(1).dims->data[i];
    const int total = is_same ? std::max(0, kernel - (in - 1) % stride - 1) : 0;
    return {stride * (in - 1) + kernel - total, stride, kernel, total / 2};
  };
  return Geometry{axis(1, p.stride_height), axis(2, p.stride_width)};
}

OutputDims TransposeConvBiasDims(const Call& call) {
  const std::vector<int> data = Dims(call.in(0)), weights = Dims(call.in(1));
  const std::vector<int> bias = Dims(call.in(2));
  if (data.size() != 4 || weights.size() != 4 || bias.size() != 1 ||
      weights[3] != data[3] || bias[0] != weights[0]) {
    return Invalid(
        "needs data BHWI, weights OHWI and bias O with equal I and O");
  }
  ASSIGN_OR_RETURN(const Geometry g, TransposeConvGeometry(call));
  return std::vector<int>{data[0], g.y.out, g.x.out, weights[0]};
}

absl::Status RunTransposeConvBias(const Call& call) {
  ASSIGN_OR_RETURN(const Geometry g, TransposeConvGeometry(call));
  const TfLiteTensor &data = call.in(0), &weights = call.in(1);
  const int in_channels = data.dims->data[3];
  const int out_channels = weights.dims->data[0];
  ForEachPixel(call.out(0), [&](int b, int y, int x, float* out) {
    std::copy_n(call.in(2).data.f, out_channels, out);
    for (int k = 0; k < g.y.window * g.x.window; ++k) {
      const int ky = k / g.x.window, kx = k % g.x.window;
      const int iy = y + g.y.pad - ky, ix = x + g.x.pad - kx;
      if (iy % g.y.stride != 0 || ix % g.x.stride != 0) continue;
      const float* in = PixelAt(data, b, iy / g.y.stride, ix / g.x.stride);
      if (in == nullptr) continue;
      for (int o = 0; o < out_channels; ++o) {
        out[o] += std::inner_product(in, in + in_channels,
                                     PixelAt(weights, o, ky, kx), 0.0f);
      }
    }
  });
  return absl::OkStatus();
}

// --- MaxPoolingWithArgmax2D --------------------------------------------------

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

Geometry PoolGeometry(const TfLiteTensor& input, const CustomPoolParams& p) {
  const auto axis = [&](int in, int stride, int window) -> Axis {
    const int out = p.padding == kPaddingSame ? (in + stride - 1) / stride
                                              : (in - window + stride) / stride;
    const int total = (out - 1) * stride + window - in;
    return {out, stride, window, total > 0 ? total / 2 : 0};
  };
  return {axis(input.dims->data[1], p.stride_height, p.filter_height),
          axis(input.dims->data[2], p.stride_width, p.filter_width)};
}

OutputDims MaxPoolingDims(const Call& call) {
  ASSIGN_OR_RETURN(const auto p, ReadPoolParams(call.params()));
  const TfLiteTensor& input = call.in(0);
  if (input.dims->size != 4 || p.activation < 0 || p.activation > 3 ||
      (p.padding != kPaddingSame && p.padding != kPaddingValid)) {
    return Invalid(
        "needs rank 4, SAME (1) or VALID (2) "
        "padding, and RELU's kind of activation");
  }
  const Geometry g = PoolGeometry(input, p);
  if (g.y.out < 1 || g.x.out < 1) {
    return Invalid("the window is larger than the input");
  }
  return std::vector<int>{input.dims->data[0], g.y.out, g.x.out,
                          input.dims->data[3]};
}

absl::Status RunMaxPooling(const Call& call) {
  ASSIGN_OR_RETURN(const auto p, ReadPoolParams(call.params()));
  const TfLiteTensor& input = call.in(0);
  const Geometry g = PoolGeometry(input, p);
  ForEachPixel(call.out(0), [&](int b, int y, int x, float* pooled) {
    float* indices = PixelAt(call.out(1), b, y, x);
    for (int c = 0; c < input.dims->data[3]; ++c) {
      float max = std::numeric_limits<float>::lowest();
      int index = 0;
      for (int k = 0; k < g.y.window * g.x.window; ++k) {
        const float* in =
            PixelAt(input, b, y * g.y.stride - g.y.pad + k / g.x.window,
                    x * g.x.stride - g.x.pad + k % g.x.window);
        if (in == nullptr || !(in[c] > max)) continue;  // NaN
        max = in[c];
        index = k;
      }
      pooled[c] = Activate(max, p.activation);
      indices[c] = static_cast<float>(index) + 0.1f;
    }
  });
  return absl::OkStatus();
}

// --- MaxUnpooling2D ----------------------------------------------------------

OutputDims MaxUnpoolingDims(const Call& call) {
  ASSIGN_OR_RETURN(const auto p, ReadPoolParams(call.params()));
  const std::vector<int> dims = Dims(call.in(0));
  if (dims.size() != 4 || dims != Dims(call.in(1)) ||
      p.stride_height != p.filter_height || p.stride_width != p.filter_width) {
    return Invalid(
        "needs data and indices of one shape and "
        "rank 4, and strides as large as the window");
  }
  return std::vector<int>{dims[0], dims[1] * p.filter_height,
                          dims[2] * p.filter_width, dims[3]};
}

absl::Status RunMaxUnpooling(const Call& call) {
  ASSIGN_OR_RETURN(const auto p, ReadPoolParams(call.params()));
  const TfLiteTensor &data = call.in(0), &output = call.out(0);
  std::fill_n(output.data.f, Count(output), 0.0f);
  ForEachPixel(data, [&](int b, int y, int x, const float* values) {
    const float* indices = PixelAt(call.in(1), b, y, x);
    for (int c = 0; c < data.dims->data[3]; ++c) {
      const int index = static_cast<int>(indices[c]);
      // Drops indices outside the window.
      if (index < 0 || index >= p.filter_width * p.filter_height) continue;
      PixelAt(output, b, y * p.filter_height + index / p.filter_width,
              x * p.filter_width + index % p.filter_width)[c] = values[c];
    }
  });
  return absl::OkStatus();
}

// --- Interpolated pixels -----------------------------------------------------

// The channels of a picture at (x, y), which is at most one pixel beside it.
// Pixels beside it are zeros.
void Interpolate(const TfLiteTensor& picture, int b, float x, float y,
                 float* out) {
  const int left = static_cast<int>(std::floor(x));
  const int top = static_cast<int>(std::floor(y));
  const float tx = x - left, ty = y - top;
  const float* pixels[] = {PixelAt(picture, b, top, left),
                           PixelAt(picture, b, top, left + 1),
                           PixelAt(picture, b, top + 1, left),
                           PixelAt(picture, b, top + 1, left + 1)};
  const float weights[] = {(1 - tx) * (1 - ty), tx * (1 - ty), (1 - tx) * ty,
                           tx * ty};
  for (int c = 0; c < picture.dims->data[3]; ++c) {
    out[c] = 0;
    for (int i = 0; i < 4; ++i) {
      if (pixels[i] != nullptr) out[c] += weights[i] * pixels[i][c];
    }
  }
}

OutputDims ResamplerDims(const Call& call) {
  const std::vector<int> data = Dims(call.in(0)), warp = Dims(call.in(1));
  if (data.size() != 4 || warp.size() != 4 || warp[0] != data[0] ||
      warp[3] != 2) {
    return Invalid("needs data BHWC and a warp BHW2 of its batch");
  }
  return std::vector<int>{data[0], warp[1], warp[2], data[3]};
}

absl::Status RunResampler(const Call& call) {
  const TfLiteTensor& data = call.in(0);
  const auto height = static_cast<float>(data.dims->data[1]);
  const auto width = static_cast<float>(data.dims->data[2]);
  ForEachPixel(call.out(0), [&](int b, int y, int x, float* out) {
    const float* at = PixelAt(call.in(1), b, y, x);
    if (at[0] > -1 && at[1] > -1 && at[0] < width && at[1] < height) {
      Interpolate(data, b, at[0], at[1], out);
    } else {
      std::fill_n(out, data.dims->data[3], 0.0f);
    }
  });
  return absl::OkStatus();
}

OutputDims TransformTensorDims(const Call& call) {
  ASSIGN_OR_RETURN(const auto p,
                   ReadTransformTensorParams(call.params(), call.version));
  const std::vector<int> dims = Dims(call.in(0));
  if (dims.size() != 4 || dims[0] != 1 || Count(call.in(1)) != 16) {
    return Invalid("needs data 1HWC and a 4x4 matrix");
  }
  return std::vector<int>{1, p.output_height, p.output_width, dims[3]};
}

absl::Status RunTransformTensor(const Call& call) {
  ASSIGN_OR_RETURN(const auto p,
                   ReadTransformTensorParams(call.params(), call.version));
  const TfLiteTensor& data = call.in(0);
  const float* m = call.in(1).data.f;
  const int height = data.dims->data[1], width = data.dims->data[2];
  float shift_x = m[3], shift_y = m[7];
  if (p.half_pixel_centers) {
    shift_x += 0.5f * m[0] + 0.5f * m[1] - 0.5f;
    shift_y += 0.5f * m[4] + 0.5f * m[5] - 0.5f;
  }
  ForEachPixel(call.out(0), [&](int b, int to_y, int to_x, float* out) {
    const float x = m[0] * to_x + m[1] * to_y + shift_x;
    const float y = m[4] * to_x + m[5] * to_y + shift_y;
    if (x >= 0 && y >= 0 && x <= width - 1 && y <= height - 1) {
      Interpolate(data, b, x, y, out);
    } else {
      std::fill_n(out, data.dims->data[3], 0.0f);
    }
  });
  return absl::OkStatus();
}

// --- TransformLandmarks ------------------------------------------------------

absl::StatusOr<TransformLandmarksParams> TransformLandmarksParamsOf(
    const Call& call) {
  ASSIGN_OR_RETURN(auto p,
                   ReadTransformLandmarksParams(call.params(), call.version));
  const std::vector<int> dims = Dims(call.in(0));
  if (dims.size() != (call.version == 1 ? 4 : 3) || dims[0] != 1) {
    return Invalid(
        "needs landmarks of batch 1 and rank 4, in version 2 rank 3");
  }
  if (call.version == 2) p.dimensions = dims[2];
  if ((p.dimensions != 2 && p.dimensions != 3) ||
      dims.back() % p.dimensions != 0) {
    return Invalid("needs landmarks of 2 or 3 dimensions");
  }
  return p;
}

OutputDims TransformLandmarksDims(const Call& call) {
  RETURN_IF_ERROR(TransformLandmarksParamsOf(call).status());
  if (Count(call.in(1)) != 16) return Invalid("needs a 4x4 matrix");
  return Dims(call.in(0));
}

absl::Status RunTransformLandmarks(const Call& call) {
  ASSIGN_OR_RETURN(const auto p, TransformLandmarksParamsOf(call));
  const float* m = call.in(1).data.f;
  const float* in = call.in(0).data.f;
  float* out = call.out(0).data.f;
  for (int64_t i = Count(call.in(0)) / p.dimensions; i > 0; --i) {
    out[0] = m[0] * in[0] + m[1] * in[1] + m[3] * p.scale;
    out[1] = m[4] * in[0] + m[5] * in[1] + m[7] * p.scale;
    if (p.dimensions == 3) out[2] = in[2];
    in += p.dimensions;
    out += p.dimensions;
  }
  return absl::OkStatus();
}

// --- Landmarks2TransformMatrix -----------------------------------------------

// 3x3, row by row: of points (x, y, 1).
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

Matrix Moved(double x, double y) { return {1, 0, x, 0, 1, y, 0, 0, 1}; }
Matrix Scaled(double x, double y) { return {x, 0, 0, 0, y, 0, 0, 0, 1}; }
Matrix Rotated(double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  return {c, -s, 0, s, c, 0, 0, 0, 1};
}

Point Rotate(Point p, double angle) {
  const Matrix m = Rotated(angle);
  return {m[0] * p.x + m[1] * p.y, m[3] * p.x + m[4] * p.y};
}

struct Box {
  double width, height;
  Point middle;
};

// Of the subset, each landmark rotated by `angle`; the middle is rotated back.
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
  return {max.x - min.x, max.y - min.y,
          Rotate({(max.x + min.x) / 2, (max.y + min.y) / 2}, -angle)};
}

// Version 1 computes on coordinates from -1 to 1.
Matrix TransformMatrix(const LandmarksToMatrixParams& p, const float* l) {
  const double dx = static_cast<double>(l[3 * p.right]) - l[3 * p.left];
  const double dy = static_cast<double>(l[3 * p.right + 1]) - l[3 * p.left + 1];
  const double angle = p.version == 1 ? -std::atan(dy / dx)
                                      : p.target_radians - std::atan2(dy, dx);
  const auto [width, height, middle] = BoxOf(p, l, angle);
  if (p.version != 1) {
    return Moved(middle.x, middle.y) * Rotated(-angle) *
           Scaled(p.scale_x * width / p.output_width,
                  p.scale_y * height / p.output_height) *
           Moved(-p.output_width / 2.0, -p.output_height / 2.0);
  }
  const double range = p.range;
  const double half_w = (p.input_width - 1.0) / 2;
  const double half_h = (p.input_height - 1.0) / 2;
  return Moved(half_w, half_h) * Scaled(half_w, half_h) *
         Moved(middle.x / range * 2 - 1, middle.y / range * 2 - 1) *
         Rotated(-angle) *
         Scaled(width * p.multiplier / range, height * p.multiplier / range) *
         Moved(-1, -1) *
         Scaled(2 / (p.output_width - 1.0), 2 / (p.output_height - 1.0));
}

absl::StatusOr<LandmarksToMatrixParams> LandmarksToMatrixParamsOf(
    const Call& call) {
  const std::vector<int> dims = Dims(call.in(0));
  const bool fits = call.version == 1
                        ? dims.size() == 4 && dims.back() % 3 == 0 &&
                              dims[1] == 1 && dims[2] == 1
                        : dims.size() == 3 && dims.back() == 3;
  if (!fits || dims[0] != 1) {
    return Invalid("needs landmarks 1x1x1x(N*3), in version 2 1xNx3");
  }
  return ReadLandmarksToMatrixParams(call.params(), call.version,
                                     static_cast<int>(Count(call.in(0)) / 3));
}

OutputDims LandmarksToMatrixDims(const Call& call) {
  RETURN_IF_ERROR(LandmarksToMatrixParamsOf(call).status());
  return std::vector<int>{1, 4, 4};
}

absl::Status RunLandmarksToMatrix(const Call& call) {
  ASSIGN_OR_RETURN(const auto p, LandmarksToMatrixParamsOf(call));
  const Matrix m = TransformMatrix(p, call.in(0).data.f);
  const double rows[16] = {m[0], m[1], 0, m[2], m[3], m[4], 0, m[5],
                           0,    0,    1, 0,    0,    0,    0, 1};
  std::transform(std::begin(rows), std::end(rows), call.out(0).data.f,
                 [](double v) { return static_cast<float>(v); });
  return absl::OkStatus();
}

// --- The list ----------------------------------------------------------------

struct Kernel {
  const char* name;
  int version;
  int inputs, outputs;  // all of them float32
  OutputDims (*dims)(const Call&);
  absl::Status (*run)(const Call&);
};

constexpr Kernel kKernels[] = {
    {"Convolution2DTransposeBias", 1, 3, 1, TransposeConvBiasDims,
     RunTransposeConvBias},
    {"Landmarks2TransformMatrix", 1, 1, 1, LandmarksToMatrixDims,
     RunLandmarksToMatrix},
    {"Landmarks2TransformMatrix", 2, 1, 1, LandmarksToMatrixDims,
     RunLandmarksToMatrix},
    {"MaxPoolingWithArgmax2D", 1, 1, 2, MaxPoolingDims, RunMaxPooling},
    {"MaxUnpooling2D", 1, 2, 1, MaxUnpoolingDims, RunMaxUnpooling},
    {"Resampler", 1, 2, 1, ResamplerDims, RunResampler},
    {"TransformLandmarks", 1, 2, 1, TransformLandmarksDims,
     RunTransformLandmarks},
    {"TransformLandmarks", 2, 2, 1, TransformLandmarksDims,
     RunTransformLandmarks},
    {"TransformTensorBilinear", 1, 2, 1, TransformTensorDims,
     RunTransformTensor},
    {"TransformTensorBilinear", 2, 2, 1, TransformTensorDims,
     RunTransformTensor},
};

absl::Status CheckFloats(const Kernel& kernel, const Call& call) {
  const TfLiteNode& node = *call.node;
  bool ok = node.inputs->size == kernel.inputs &&
            node.outputs->size == kernel.outputs;
  for (const TfLiteIntArray* list : {node.inputs, node.outputs}) {
    for (int i = 0; ok && i < list->size; ++i) {
      ok = list->data[i] >= 0 &&
           call.context->tensors[list->data[i]].type == kTfLiteFloat32;
    }
  }
  if (ok) return absl::OkStatus();
  return Invalid("needs ", kernel.inputs, " inputs and ", kernel.outputs,
                 " outputs, float32");
}

absl::Status Prepare(const Kernel& kernel, const Call& call) {
  RETURN_IF_ERROR(CheckFloats(kernel, call));
  ASSIGN_OR_RETURN(const std::vector<int> dims, kernel.dims(call));
  for (int i = 0; i < kernel.outputs; ++i) {
    TfLiteIntArray* array = NewIntArray(dims);
    if (array == nullptr ||
        call.context->ResizeTensor(call.context, &call.out(i), array) !=
            kTfLiteOk) {
      return Internal("an output was not resized");
    }
  }
  return absl::OkStatus();
}

// Two functions of TfLiteRegistration. An error is reported after the op's
// name.
template <size_t kIndex, bool kPrepares>
TfLiteStatus Reported(TfLiteContext* context, TfLiteNode* node) {
  constexpr const Kernel& kKernel = kKernels[kIndex];
  const Call call = {context, node, kKernel.version};
  const absl::Status status = egl::Caught([&call] {
    return kPrepares ? Prepare(kKernel, call) : kKernel.run(call);
  });
  if (status.ok()) return kTfLiteOk;
  const absl::string_view words = status.message();
  context->ReportError(context, "%s: %.*s\n", kKernel.name,
                       static_cast<int>(words.size()), words.data());
  return kTfLiteError;
}

// Members that TFLite 2.9 lacks are zero, since a newer runtime copies them,
// too.
template <size_t kIndex>
constexpr NewestRegistration RegistrationOf() {
  NewestRegistration registration = {};
  registration.base.prepare = Reported<kIndex, /*kPrepares=*/true>;
  registration.base.invoke = Reported<kIndex, /*kPrepares=*/false>;
  registration.base.custom_name = kKernels[kIndex].name;
  registration.base.version = kKernels[kIndex].version;
  return registration;
}

template <size_t... kIndices>
absl::Span<const TfLiteGlesCustomOp> OpsOf(std::index_sequence<kIndices...>) {
  static constexpr NewestRegistration kRegistrations[] = {
      RegistrationOf<kIndices>()...};
  static constexpr TfLiteGlesCustomOp kOps[] = {
      {kKernels[kIndices].name, &kRegistrations[kIndices].base,
       kKernels[kIndices].version}...};
  return kOps;
}

}  // namespace

absl::Span<const TfLiteGlesCustomOp> CustomOps() {
  return OpsOf(std::make_index_sequence<std::size(kKernels)>());
}

}  // namespace gles_delegate
