#include "delegate/ops/image/resize.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "delegate/graph/custom_params.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/dispatches.h"
#include "delegate/plan/planner.h"
#include "quant/cpu_kernels.h"

namespace gles_delegate {
namespace {

// Input elements an output element, in float as TFLite computes it.
float Scale(int in, int out, bool align_corners) {
  return align_corners && out > 1
             ? static_cast<float>(in - 1) / static_cast<float>(out - 1)
             : static_cast<float>(in) / static_cast<float>(out);
}

// TFLite's GetNearestNeighbor.
int Nearest(int i, int in, int out, const ResizeAttributes& a) {
  const float at =
      (static_cast<float>(i) + (a.half_pixel_centers ? 0.5f : 0.0f)) *
      Scale(in, out, a.align_corners);
  const int nearest =
      static_cast<int>(a.align_corners ? std::round(at) : std::floor(at));
  return std::max(0, std::min(nearest, in - 1));
}

// The two source pixels of an output pixel, and their weights.
struct Pixels {
  int low, high;
  float low_weight, high_weight;
};

// Of TFLite's float kernel.
Pixels FloatPixels(int i, int in, int out, const ResizeAttributes& a) {
  const float shift = a.half_pixel_centers ? 0.5f : 0.0f;
  const float at =
      (static_cast<float>(i) + shift) * Scale(in, out, a.align_corners) - shift;
  Pixels p;
  p.low = std::clamp(static_cast<int>(std::floor(at)), 0, in - 1);
  p.high = std::clamp(static_cast<int>(std::ceil(at)), 0, in - 1);
  p.high_weight = at - static_cast<float>(p.low);
  p.low_weight = 1.0f - p.high_weight;
  return p;
}

// Of its integer kernel: ten bits behind the point. Where rounding leads past
// the last pixel, TFLite reads what lies there; here it is the last one.
Pixels IntegerPixels(int i, int in, int out, const ResizeAttributes& a) {
  constexpr int64_t kOne = 1 << 10;
  const int64_t scale = a.align_corners && out > 1
                            ? (kOne * (in - 1) + (out - 1) / 2) / (out - 1)
                            : (kOne * in + out / 2) / out;
  int64_t at = i * scale;
  if (a.half_pixel_centers) at += scale / 2 - kOne / 2;
  Pixels p;
  p.low = static_cast<int>(std::clamp<int64_t>(at / kOne, 0, in - 1));
  p.high =
      static_cast<int>(std::clamp<int64_t>((at + kOne - 1) / kOne, 0, in - 1));
  const int64_t part = at - kOne * std::max<int64_t>(at / kOne, 0);
  p.high_weight = static_cast<float>(part);
  p.low_weight = static_cast<float>(kOne - part);
  return p;
}

// Of XNNPACK's kernel: eleven bits behind the point, of floats.
Pixels XnnpackPixels(int i, int in, int out, const ResizeAttributes& a) {
  constexpr float kOne = 1 << 11;
  const float scale = Scale(in, out, a.align_corners);
  const float offset = a.half_pixel_centers ? 0.5f * scale - 0.5f : 0.0f;
  float at = static_cast<float>(i) * scale;
  at = std::clamp(at + offset, 0.0f, static_cast<float>(in - 1));
  Pixels p;
  p.low = static_cast<int>(at);
  p.high = std::min(p.low + 1, in - 1);
  p.high_weight = static_cast<float>(
      quant::MultiplyAsFloat(1, (at - static_cast<float>(p.low)) * kOne));
  p.low_weight = kOne - p.high_weight;
  return p;
}

absl::Status PlanBilinearQuantized(const Node& node,
                                   const ResizeOfQuantized& quantized,
                                   Planner* planner) {
  const Shape from = planner->shape(node.inputs[0]);
  const Shape to = planner->shape(node.outputs[0]);
  Dispatch d = TexelDispatch("resize_bilinear_quantized", node, *planner);
  if (quantized.by_xnnpack || !quantized.is_unsigned) d.Define("INTEGERS");
  if (quantized.by_xnnpack) d.Define("XNNPACK");
  if (quantized.is_int16) d.Define("INT16");
  d.uniforms.Int("zero_in", quantized.zero_in);
  d.uniforms.Int("zero_out", quantized.zero_out);
  d.uniforms.Int("never", 0);
  // One texel a row: the width stands in the program's text, and sizes should
  // not make programs.
  PackedConstant pixels("pixels", 1, to.w + to.h);
  pixels.fill = [quantized, from, to](absl::Span<float> texels) {
    const auto put = [&](int texel, const Pixels& p) {
      texels[4 * texel] = static_cast<float>(p.low);
      texels[4 * texel + 1] = static_cast<float>(p.high);
      texels[4 * texel + 2] = p.low_weight;
      texels[4 * texel + 3] = p.high_weight;
    };
    const auto of = quantized.by_xnnpack    ? XnnpackPixels
                    : quantized.is_unsigned ? FloatPixels
                                            : IntegerPixels;
    for (int i = 0; i < to.w; ++i) {
      put(i, of(i, from.w, to.w, quantized.resize));
    }
    for (int i = 0; i < to.h; ++i) {
      put(to.w + i, of(i, from.h, to.h, quantized.resize));
    }
  };
  d.Constant(std::move(pixels));
  return AddInLightGroups(std::move(d), planner);
}

}  // namespace

absl::StatusOr<ParsedNode> ParseResize(const NodeView& node) {
  ASSIGN_OR_RETURN(auto params, node.Get<ResizeParams>());
  return ParsedNode{*params};
}

MemoryView BilinearView(const Node& node, const Shape& from, const Shape& to) {
  const auto& a = node.Get<ResizeAttributes>();
  MemoryView view;
  view.kind = MemoryView::Kind::kBilinear;
  view.scale_x = Scale(from.w, to.w, a.align_corners);
  view.scale_y = Scale(from.h, to.h, a.align_corners);
  view.shift = a.half_pixel_centers ? 0.5f : 0.0f;
  return view;
}

absl::Status PlanResizeBilinear(const Node& node, Planner* planner) {
  if (const auto* quantized = node.As<ResizeOfQuantized>()) {
    return PlanBilinearQuantized(node, *quantized, planner);
  }
  const MemoryView source = BilinearView(node, planner->shape(node.inputs[0]),
                                         planner->shape(node.outputs[0]));
  Dispatch d = TexelDispatch("resize_bilinear", node, *planner);
  d.uniforms.Float("scale_x", source.scale_x);
  d.uniforms.Float("scale_y", source.scale_y);
  d.uniforms.Float("shift", source.shift);
  if (planner->choices().simd_lanes > 1) {
    const Shape& to = planner->shape(node.outputs[0]);
    d.Define("ALL_SLICES").Grid(to.w, to.h, to.b);
    return planner->Add(std::move(d));
  }
  return AddInLightGroups(std::move(d), planner);
}

absl::Status PlanResizeNearestNeighbor(const Node& node, Planner* planner) {
  const auto a = node.Get<ResizeAttributes>();
  const Shape from = planner->shape(node.inputs[0]);
  const Shape to = planner->shape(node.outputs[0]);
  Dispatch d = TexelDispatch("resize_nearest", node, *planner);
  // A driver that rounds a product otherwise would pick another pixel, so the
  // choice is made here: x from row 0, y from row 1.
  PackedConstant nearest("nearest", std::max(to.w, to.h), 2);
  nearest.always_float32 = true;
  nearest.fill = [a, from, to,
                  width = nearest.width](absl::Span<float> texels) {
    for (int i = 0; i < to.w; ++i) texels[4 * i] = Nearest(i, from.w, to.w, a);
    for (int i = 0; i < to.h; ++i) {
      texels[4 * (width + i)] = Nearest(i, from.h, to.h, a);
    }
  };
  d.Constant(std::move(nearest));
  return AddInLightGroups(std::move(d), planner);
}

// --- Resampler ---------------------------------------------------------------

// The custom op Resampler: y[b,h,w,:] is the data at pixel (x, y) of
// warp[b,h,w], interpolated bilinearly with 0 outside the data; and 0 if x is
// not in (-1, W) or y not in (-1, H). Data [B,H,W,C], warp [B,h,w,2].
// kInvalidArgument: inconsistent shapes.

// No attributes.
absl::StatusOr<ParsedNode> ParseResampler(const NodeView& node) {
  const Tensor& data = *node.inputs[0];
  const Tensor& warp = *node.inputs[1];
  if (warp.dims[3] != 2 || warp.dims[0] != data.dims[0]) {
    return Invalid("data ", DimsString(data.dims), " and warp ",
                   DimsString(warp.dims), " must be BHWC and Bhw2");
  }
  RETURN_IF_ERROR(CheckOutputDims(
      *node.outputs[0],
      {data.dims[0], warp.dims[1], warp.dims[2], data.dims[3]}));
  return ParsedNode{};
}

absl::Status PlanResampler(const Node& node, Planner* planner) {
  return planner->Add(
      TexelDispatch("resampler", node, *planner, {"src", "warp"}));
}

// --- Landmarks ---------------------------------------------------------------

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

namespace {

constexpr int kMatrixDims[] = {1, 4, 4};

// Version 1: [1,1,1,N*D], version 2: [1,N,D].
absl::Status CheckLandmarks(const Tensor& landmarks, int version,
                            int dimensions) {
  const std::vector<int>& dims = landmarks.dims;
  const bool fits = version == 1 ? dims.size() == 4 && dims[1] == 1 &&
                                       dims[2] == 1 && dims[3] % dimensions == 0
                                 : dims.size() == 3 && dims[2] == dimensions;
  if (fits && dims[0] == 1) return absl::OkStatus();
  return Invalid("landmarks are ", DimsString(dims), ", version ", version,
                 " wants ", version == 1 ? "1x1x1x(N*" : "1xNx", dimensions,
                 version == 1 ? ")" : "");
}

}  // namespace

absl::StatusOr<ParsedNode> ParseTransformTensorBilinear(const NodeView& node) {
  ASSIGN_OR_RETURN(const auto p,
                   ReadTransformTensorParams(node.custom_params, node.version));
  const Tensor& data = *node.inputs[0];
  if (data.dims[0] != 1) {
    return Invalid("data is ", DimsString(data.dims), ", must be 1HWC");
  }
  RETURN_IF_ERROR(CheckDimsAre(*node.inputs[1], kMatrixDims, "the matrix"));
  RETURN_IF_ERROR(CheckOutputDims(
      *node.outputs[0], {1, p.output_height, p.output_width, data.dims[3]}));
  return ParsedNode{p};
}

absl::Status PlanTransformTensorBilinear(const Node& node, Planner* planner) {
  const auto& p = node.Get<TransformTensorParams>();
  Dispatch d = TexelDispatch("transform_tensor_bilinear", node, *planner,
                             {"src", "matrix"});
  if (p.half_pixel_centers) d.Define("HALF_PIXEL_CENTERS");
  return planner->Add(std::move(d));
}

absl::StatusOr<ParsedNode> ParseTransformLandmarks(const NodeView& node) {
  ASSIGN_OR_RETURN(
      auto p, ReadTransformLandmarksParams(node.custom_params, node.version));
  const Tensor& landmarks = *node.inputs[0];
  if (node.version != 1) p.dimensions = landmarks.shape.c;
  if (p.dimensions != 2 && p.dimensions != 3) {
    return Invalid("landmarks have ", p.dimensions,
                   " dimensions, must have 2 or 3");
  }
  RETURN_IF_ERROR(CheckLandmarks(landmarks, node.version, p.dimensions));
  RETURN_IF_ERROR(CheckDimsAre(*node.inputs[1], kMatrixDims, "the matrix"));
  return ParsedNode{p};
}

absl::Status PlanTransformLandmarks(const Node& node, Planner* planner) {
  const auto& p = node.Get<TransformLandmarksParams>();
  const Shape& dst = planner->shape(node.outputs[0]);
  Dispatch d =
      TexelDispatch("transform_landmarks", node, *planner, {"src", "matrix"});
  d.Grid(dst.slices(), dst.w, 1);
  d.uniforms.Int("dimensions", p.dimensions);
  d.uniforms.Float("scale", p.scale);
  return planner->Add(std::move(d));
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
    return Unimplemented("the output ", p.output_height, "x", p.output_width,
                         " must be larger than one pixel in both directions");
  }
  RETURN_IF_ERROR(CheckDimsAre(*node.outputs[0], kMatrixDims, "the output"));
  return ParsedNode{std::move(p)};
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
  Dispatch d = TexelDispatch("landmarks_to_transform_matrix", node, *planner);
  d.Define("VERSION", p.version);
  // The position of landmark i: at x = i, or from channel i * dimensions on.
  if (planner->shape(node.inputs[0]).w == 1) d.Define("IN_CHANNELS");
  d.Constant(std::move(subset)).Grid(1, 1, 1);
  d.uniforms.Int4("who", p.left, p.right, static_cast<int>(p.subset.size()), 0);
  d.uniforms.Float4("sizes", {static_cast<float>(p.input_width),
                              static_cast<float>(p.input_height),
                              static_cast<float>(p.output_width),
                              static_cast<float>(p.output_height)});
  d.uniforms.Float4(
      "box", {p.scale_x, p.scale_y, p.multiplier, static_cast<float>(p.range)});
  d.uniforms.Float4(
      "target", {std::cos(p.target_radians), std::sin(p.target_radians), 0, 0});
  return planner->Add(std::move(d));
}

}  // namespace gles_delegate
