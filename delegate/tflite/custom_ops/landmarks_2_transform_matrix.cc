// The custom op Landmarks2TransformMatrix, by its definition: matrices are
// multiplied out, angles are angles.
#include <array>
#include <cmath>

#include "base/status_macros.h"
#include "delegate/tflite/custom_ops/custom_ops.h"
#include "delegate/tflite/custom_ops/kernel_util.h"

namespace gles_delegate {
namespace {

using custom_ops::TensorAt;

constexpr char kName[] = "Landmarks2TransformMatrix";

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
absl::StatusOr<LandmarksToMatrixParams> Params(const TfLiteNode* node,
                                               const TfLiteTensor& landmarks) {
  const std::vector<int> dims = custom_ops::Dims(landmarks);
  const bool fits = kVersion == 1 ? dims.size() == 4 && dims.back() % 3 == 0
                                  : dims.size() == 3 && dims.back() == 3;
  const int64_t count = custom_ops::Count(landmarks);
  if (!fits || dims[0] != 1 ||
      (kVersion == 1 && (dims[1] != 1 || dims[2] != 1))) {
    return absl::InvalidArgumentError(
        "needs landmarks 1x1x1x(N*3), in version 2 1xNx3");
  }
  return ReadLandmarksToMatrixParams(custom_ops::ParamsOf(node), kVersion,
                                     static_cast<int>(count / 3));
}

template <int kVersion>
absl::Status Prepare(TfLiteContext* context, TfLiteNode* node) {
  RETURN_IF_ERROR(
      Params<kVersion>(node, TensorAt(context, node->inputs, 0)).status());
  return custom_ops::Resize(context, TensorAt(context, node->outputs, 0),
                            {1, 4, 4});
}

template <int kVersion>
absl::Status Invoke(TfLiteContext* context, TfLiteNode* node) {
  const TfLiteTensor& landmarks = TensorAt(context, node->inputs, 0);
  ASSIGN_OR_RETURN(const auto p, Params<kVersion>(node, landmarks));
  const Matrix m = kVersion == 1 ? Version1(p, landmarks.data.f)
                                 : Version2(p, landmarks.data.f);
  const double rows[16] = {m[0], m[1], 0, m[2], m[3], m[4], 0, m[5],
                           0,    0,    1, 0,    0,    0,    0, 1};
  float* out = TensorAt(context, node->outputs, 0).data.f;
  for (int i = 0; i < 16; ++i) out[i] = static_cast<float>(rows[i]);
  return absl::OkStatus();
}

}  // namespace

TfLiteRegistration LandmarksToTransformMatrixRegistration(int version) {
  return version == 1
             ? custom_ops::Registration<kName, 1, 1, Prepare<1>, Invoke<1>>()
             : custom_ops::Registration<kName, 1, 1, Prepare<2>, Invoke<2>>();
}

}  // namespace gles_delegate
