// Custom ops of landmark models with attention (MediaPipe's face mesh), in
// versions 1 and 2, which differ in parameters and shapes
// (delegate/graph/custom_params.h). Matrices are [1,4,4].
//
// TransformTensorBilinear: data [1,H,W,C] and a matrix m. Output [1,h,w,C] at
// (x, y) is the data at (m00 x + m01 y + m03, m10 x + m11 y + m13),
// interpolated bilinearly, and 0 outside [0, W-1] x [0, H-1]. In version 2 the
// centre of pixel (x, y) is at (x + 0.5, y + 0.5) instead of (x, y).
//
// TransformLandmarks: landmarks (x, y[, z]) and a matrix. x and y are
// transformed as above (version 1 multiplies m03 and m13 by `scale`), z is
// kept. Version 1: [1,1,1,N*D], version 2: [1,N,D].
//
// Landmarks2TransformMatrix: landmarks (x, y, z). The output is the matrix that
// crops the box around some of the landmarks, rotated so that two of them are
// level. Version 1: [1,1,1,N*3], version 2: [1,N,3].
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/custom_params.h"
#include "delegate/graph/op.h"
#include "delegate/ops/checks.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

absl::Status CheckTransformMatrix(const Tensor& matrix,
                                  absl::string_view what) {
  if (matrix.dims == std::vector<int>{1, 4, 4}) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(what, " is ", DimsString(matrix.dims), ", must be 1x4x4"));
}

// Version 1: [1,1,1,N*D], version 2: [1,N,D].
absl::Status CheckLandmarks(const Tensor& landmarks, int version,
                            int dimensions) {
  const std::vector<int>& dims = landmarks.dims;
  const bool fits = version == 1 ? dims.size() == 4 && dims[1] == 1 &&
                                       dims[2] == 1 && dims[3] % dimensions == 0
                                 : dims.size() == 3 && dims[2] == dimensions;
  if (fits && dims[0] == 1) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("landmarks are ", DimsString(dims), ", version ", version,
                   " wants ", version == 1 ? "1x1x1x(N*" : "1xNx", dimensions,
                   version == 1 ? ")" : ""));
}

// The position of landmark i: at x = i, or from channel i * dimensions on.
void DefineLayout(const Shape& landmarks, Dispatch* d) {
  if (landmarks.w == 1) d->Define("IN_CHANNELS");
}

}  // namespace

absl::StatusOr<ParsedNode> ParseTransformTensorBilinear(const NodeView& node) {
  ASSIGN_OR_RETURN(const auto p,
                   ReadTransformTensorParams(node.custom_params, node.version));
  const Tensor& data = *node.inputs[0];
  if (data.dims[0] != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("data is ", DimsString(data.dims), ", must be 1HWC"));
  }
  RETURN_IF_ERROR(CheckTransformMatrix(*node.inputs[1], "the matrix"));
  RETURN_IF_ERROR(CheckOutputDims(
      *node.outputs[0], {1, p.output_height, p.output_width, data.dims[3]}));
  return ParsedNode{p, {}};
}

absl::Status PlanTransformTensorBilinear(const Node& node, Planner* planner) {
  const auto& p = node.Get<TransformTensorParams>();
  const Shape& dst = planner->tensor(node.outputs[0]).shape;
  Dispatch d("transform_tensor_bilinear");
  if (p.half_pixel_centers) d.Define("HALF_PIXEL_CENTERS");
  d.Read("src", node.inputs[0])
      .Read("matrix", node.inputs[1])
      .Write("dst", node.outputs[0])
      .Grid(dst.w, dst.h, dst.slices());
  planner->Add(std::move(d));
  return absl::OkStatus();
}

absl::StatusOr<ParsedNode> ParseTransformLandmarks(const NodeView& node) {
  ASSIGN_OR_RETURN(
      auto p, ReadTransformLandmarksParams(node.custom_params, node.version));
  const Tensor& landmarks = *node.inputs[0];
  if (node.version != 1) p.dimensions = landmarks.shape.c;
  if (p.dimensions != 2 && p.dimensions != 3) {
    return absl::InvalidArgumentError(absl::StrCat(
        "landmarks have ", p.dimensions, " dimensions, must have 2 or 3"));
  }
  RETURN_IF_ERROR(CheckLandmarks(landmarks, node.version, p.dimensions));
  RETURN_IF_ERROR(CheckTransformMatrix(*node.inputs[1], "the matrix"));
  return ParsedNode{p, {}};
}

absl::Status PlanTransformLandmarks(const Node& node, Planner* planner) {
  const auto& p = node.Get<TransformLandmarksParams>();
  const Shape& dst = planner->tensor(node.outputs[0]).shape;
  Dispatch d("transform_landmarks");
  d.Read("src", node.inputs[0])
      .Read("matrix", node.inputs[1])
      .Write("dst", node.outputs[0])
      .Grid(dst.slices(), dst.w, 1);
  d.uniforms.Int("dimensions", p.dimensions);
  d.uniforms.Float("scale", p.scale);
  planner->Add(std::move(d));
  return absl::OkStatus();
}

absl::StatusOr<ParsedNode> ParseLandmarksToTransformMatrix(
    const NodeView& node) {
  const Tensor& landmarks = *node.inputs[0];
  RETURN_IF_ERROR(CheckLandmarks(landmarks, node.version, 3));
  ASSIGN_OR_RETURN(auto p,
                   ReadLandmarksToMatrixParams(
                       node.custom_params, node.version,
                       static_cast<int>(landmarks.shape.elements() / 3)));
  // It divides by these sizes minus one.
  if (p.version == 1 && (p.output_height == 1 || p.output_width == 1)) {
    return absl::UnimplementedError(
        absl::StrCat("the output ", p.output_height, "x", p.output_width,
                     " must be larger than one pixel in both directions"));
  }
  RETURN_IF_ERROR(CheckTransformMatrix(*node.outputs[0], "the output"));
  return ParsedNode{std::move(p), {}};
}

absl::Status PlanLandmarksToTransformMatrix(const Node& node,
                                            Planner* planner) {
  const auto& p = node.Get<LandmarksToMatrixParams>();
  PackedConstant subset("subset", static_cast<int>(p.subset.size()));
  subset.always_float32 = true;  // indices
  subset.fill = [indices = p.subset](absl::Span<float> out) {
    for (size_t i = 0; i < indices.size(); ++i) {
      out[4 * i] = static_cast<float>(indices[i]);
    }
  };
  Dispatch d("landmarks_to_transform_matrix");
  d.Define("VERSION", p.version);
  DefineLayout(planner->tensor(node.inputs[0]).shape, &d);
  d.Read("src", node.inputs[0])
      .Write("dst", node.outputs[0])
      .Constant(std::move(subset))
      .Grid(1, 1, 1);
  d.uniforms.Int4("who", p.left, p.right, static_cast<int>(p.subset.size()), 0);
  d.uniforms.Float4("sizes", {static_cast<float>(p.input_width),
                              static_cast<float>(p.input_height),
                              static_cast<float>(p.output_width),
                              static_cast<float>(p.output_height)});
  d.uniforms.Float4(
      "box", {p.scale_x, p.scale_y, p.multiplier, static_cast<float>(p.range)});
  d.uniforms.Float4(
      "target", {std::cos(p.target_radians), std::sin(p.target_radians), 0, 0});
  planner->Add(std::move(d));
  return absl::OkStatus();
}

}  // namespace gles_delegate
