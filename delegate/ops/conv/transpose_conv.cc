#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/conv/conv_2d.h"
#include "delegate/ops/conv/conv_strategies.h"
#include "delegate/ops/conv/conv_weights.h"
#include "delegate/ops/sliding_window.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

// TRANSPOSE_CONV got its activation in version 4 (TFLite 2.12), which
// converters give to nodes that have one. For older versions, 2.8 to 2.11
// ignore it, and 2.12 to 2.14 apply it (tried with float, int8, uint8 and
// int16).
constexpr int kVersionWithActivation = 4, kMinorWithActivation = 12;

absl::Status CheckTensors(const Tensor& src, const Tensor& filter,
                          const Tensor* bias, const Tensor& dst) {
  if (src.shape.c != filter.shape.c) {
    return absl::InvalidArgumentError(
        absl::StrCat("filter has ", filter.shape.c,
                     " input channels, input has ", src.shape.c));
  }
  RETURN_IF_ERROR(CheckConvOutput(src.shape, filter.shape.b, dst.shape));
  return CheckBias(bias, filter.shape.b);
}

// TRANSPOSE_CONV is the gradient of a convolution from its output's extent to
// its input's, and takes that convolution's padding.
absl::StatusOr<AxisPadding> GradientPadding(int padding, int in, int out,
                                            int window, int stride,
                                            absl::string_view axis) {
  auto result = ComputePadding(padding, out, {window, stride, 1}, axis);
  if (!result.ok()) return result;
  if (result->out != in) {
    return absl::InvalidArgumentError(absl::StrCat(
        "input ", axis, " is ", in, ", an output of ", out, " (window ", window,
        ", stride ", stride, ") comes from ", result->out));
  }
  return result;
}

// Convolution2DTransposeBias: the output follows from the input.
absl::StatusOr<AxisPadding> CustomPadding(int padding, int in, int out,
                                          int window, int stride,
                                          absl::string_view axis) {
  if (in < 1 || window < 1 || stride < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat(axis, ": input ", in, ", window ", window, ", stride ",
                     stride, " must all be positive"));
  }
  if (padding != kPaddingSame && padding != kPaddingValid) {
    return absl::UnimplementedError(absl::StrCat(
        "padding ", padding, " is not supported; SAME (1) and VALID (2) are"));
  }
  const int total =
      padding == kPaddingSame ? std::max(0, window - (in - 1) % stride - 1) : 0;
  const int64_t extent = int64_t{stride} * (in - 1) + window - total;
  if (extent > std::numeric_limits<int32_t>::max() / 2) {
    return absl::InvalidArgumentError(
        absl::StrCat(axis, ": the output would have ", extent, " elements"));
  }
  AxisPadding result;
  result.before = total / 2;
  result.after = total - result.before;
  result.out = static_cast<int>(extent);
  RETURN_IF_ERROR(CheckExtent(result, out, axis));
  return result;
}

TransposeConvAttributes TransposeConvAttributesOf(const TransposeConvParams& p,
                                                  const AxisPadding& height,
                                                  const AxisPadding& width) {
  TransposeConvAttributes a;
  a.stride_h = p.stride_height;
  a.stride_w = p.stride_width;
  a.pad_top = height.before;
  a.pad_bottom = height.after;
  a.pad_left = width.before;
  a.pad_right = width.after;
  return a;
}

}  // namespace

// Node inputs: output shape (constant), filter, data, bias (optional).
absl::StatusOr<ParsedNode> ParseTransposeConv(const NodeView& node) {
  ASSIGN_OR_RETURN(const auto params, node.Get<TransposeConvParams>());
  const TransposeConvParams& p = *params;
  const Tensor& filter = *node.inputs[1];
  const Tensor& src = *node.inputs[2];
  const Tensor* bias = node.input(3);
  const Tensor& dst = *node.outputs[0];
  RETURN_IF_ERROR(CheckTensors(src, filter, bias, dst));
  ASSIGN_OR_RETURN(const auto height,
                   GradientPadding(p.padding, src.shape.h, dst.shape.h,
                                   filter.shape.h, p.stride_height, "height"));
  ASSIGN_OR_RETURN(const auto width,
                   GradientPadding(p.padding, src.shape.w, dst.shape.w,
                                   filter.shape.w, p.stride_width, "width"));
  ASSIGN_OR_RETURN(auto activation,
                   FusedActivation(node.HasField(kVersionWithActivation,
                                                 kMinorWithActivation)
                                       ? p.activation
                                       : kActNone));
  TransposeConvAttributes a = TransposeConvAttributesOf(p, height, width);
  a.filter_input = 1;
  a.data_input = 2;
  a.bias_input = 3;
  return ParsedNode{a, std::move(activation)};
}

// Node inputs: data, filter, bias.
absl::StatusOr<ParsedNode> ParseConvolution2dTransposeBias(
    const NodeView& node) {
  // TRANSPOSE_CONV's first three parameters.
  TransposeConvParams p = {};
  constexpr size_t kBytes = 3 * sizeof(int);
  if (node.custom_params.size() < kBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("carries ", node.custom_params.size(),
                     " bytes of parameters, wants ", kBytes));
  }
  std::memcpy(&p, node.custom_params.data(), kBytes);
  const Tensor& src = *node.inputs[0];
  const Tensor& filter = *node.inputs[1];
  const Tensor& dst = *node.outputs[0];
  RETURN_IF_ERROR(CheckTensors(src, filter, node.inputs[2], dst));
  ASSIGN_OR_RETURN(const auto height,
                   CustomPadding(p.padding, src.shape.h, dst.shape.h,
                                 filter.shape.h, p.stride_height, "height"));
  ASSIGN_OR_RETURN(const auto width,
                   CustomPadding(p.padding, src.shape.w, dst.shape.w,
                                 filter.shape.w, p.stride_width, "width"));
  TransposeConvAttributes a = TransposeConvAttributesOf(p, height, width);
  a.data_input = 0;
  a.filter_input = 1;
  a.bias_input = 2;
  return ParsedNode{a, {}};
}

namespace {

bool AppliesTransposeDirect(const Convolution& conv, const Planner&) {
  return conv.kind == Convolution::Kind::kTransposed;
}

void PlanTransposeDirect(const Convolution& conv, Planner* planner) {
  const SlidingWindow& window = conv.window;
  const Shape& dst = conv.dst_shape;
  // A tile's pixels are a stride apart, so each phase has its own tiles.
  const ConvTile tile =
      ChooseConvTile(DivideUp(dst.w, window.stride_w), dst.slices(),
                     planner->profile().choices);
  const int64_t step = int64_t{tile.pixels} * window.stride_w;
  const int64_t tiles_x = (dst.w + step - 1) / step * window.stride_w;
  Dispatch d("transpose_conv");
  d.Define("TILE_PIXELS", tile.pixels)
      .Define("TILE_SLICES", tile.slices)
      .Read("src", conv.src)
      .Write("dst", conv.dst)
      .Grid(tiles_x, dst.h, DivideUp(dst.slices(), tile.slices) * dst.b);
  if (planner->profile().choices.share_programs > 0) d.Define("ROLLED_OUTPUTS");
  BindFilter(conv, planner, &d);
  d.uniforms.Int4("stride_pad", window.stride_w, window.stride_h,
                  window.pad_left, window.pad_top);
  d.uniforms.Int4("window", conv.window_w, conv.window_h, 0, 0);
  planner->Add(std::move(d));
}

}  // namespace

const ConvStrategy kTransposeDirect = {
    "transpose_direct", AppliesTransposeDirect, PlanTransposeDirect};

namespace {

// Texels that the shader holds: of the input's slices, and of outputs.
constexpr int kMaxTransposedSlices = 8;
constexpr int kMaxTransposedOutputs = 16;
// Pixels of the input that an invocation takes, one after the other.
constexpr int kPixels = 8;

// True if each output has one tap: the windows of neighbouring input pixels are
// adjacent and cover the output.
bool LieSideBySide(const Convolution& conv) {
  const SlidingWindow& window = conv.window;
  return conv.window_w == window.stride_w && conv.window_h == window.stride_h &&
         window.BeginsInside() &&
         conv.dst_shape.w == conv.src_shape.w * window.stride_w &&
         conv.dst_shape.h == conv.src_shape.h * window.stride_h;
}

bool AppliesTransposeUnrolled(const Convolution& conv, const Planner& planner) {
  return conv.kind == Convolution::Kind::kTransposed && LieSideBySide(conv) &&
         conv.src_shape.slices() <= kMaxTransposedSlices &&
         conv.filter.taps * conv.dst_shape.slices() <= kMaxTransposedOutputs &&
         PaysAsLiterals(conv, planner);
}

void PlanTransposeUnrolled(const Convolution& conv, Planner* planner) {
  const Shape& src = conv.src_shape;
  const int pixels = Even(src.w, kPixels);
  const int tiles_x = DivideUp(src.w, pixels);
  Dispatch d("transpose_conv_unrolled");
  d.Define("TILE_PIXELS", pixels)
      .Define("SLICES", conv.dst_shape.slices())
      .Define("SRC_SLICES", src.slices())
      .Define("KERNEL_W", conv.window_w)
      .Define("KERNEL_H", conv.window_h)
      .Read("src", conv.src)
      .Write("dst", conv.dst)
      .Grid(int64_t{tiles_x} * src.h, 1, src.b);
  BindFilter(conv, planner, &d);
  d.constants.back().literal = true;
  d.uniforms.Int("tiles_x", tiles_x);
  planner->Add(std::move(d));
}

}  // namespace

const ConvStrategy kTransposeUnrolled = {
    "transpose_unrolled", AppliesTransposeUnrolled, PlanTransposeUnrolled};

}  // namespace gles_delegate
