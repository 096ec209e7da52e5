#include "delegate/ops/conv/conv_2d.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "delegate/graph/builtin_codes.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/ops/conv/conv_strategies.h"
#include "delegate/ops/conv/conv_weights.h"
#include "delegate/ops/dispatches.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

namespace {

// kInvalidArgument unless `dst` has the batch of `src` and `outputs` channels,
// as computed from the filter.
absl::Status CheckConvOutput(const Shape& src, int outputs, const Shape& dst) {
  if (dst.b == src.b && dst.c == outputs) return absl::OkStatus();
  return Invalid("output is ", dst.ToString(), ", input has batch ", src.b,
                 " and filter ", outputs, " outputs");
}

// The common part of both nodes, whose parameter structs have fields of the
// same names. Every struct since 2.5 has the dilations, and TFLite's kernels
// read them at any version. `outputs`: of the filter.
template <typename Params>
absl::StatusOr<std::pair<SlidingWindow, std::vector<PostOp>>> ReadConvNode(
    const NodeView& node, int outputs) {
  ASSIGN_OR_RETURN(const auto params, node.Get<Params>());
  const Params& p = *params;
  const Shape& src = node.inputs[0]->shape;
  RETURN_IF_ERROR(CheckConvOutput(src, outputs, node.outputs[0]->shape));
  RETURN_IF_ERROR(CheckBias(node.input(2), outputs));
  ASSIGN_OR_RETURN(
      const auto window,
      SlidingWindowOf({p.padding, p.stride_height, p.stride_width,
                       p.dilation_height_factor, p.dilation_width_factor},
                      src, node.inputs[1]->shape));
  ASSIGN_OR_RETURN(auto activation, FusedActivation(p.activation));
  return std::make_pair(window, std::move(activation));
}

}  // namespace

absl::StatusOr<ParsedNode> ParseConv2d(const NodeView& node) {
  const Shape& src = node.inputs[0]->shape;
  const Shape& filter = node.inputs[1]->shape;
  if (filter.elements() <= 0 || src.c % filter.c != 0) {
    return Invalid("filter has ", filter.c, " input channels, input has ",
                   src.c, "; the one must divide the other");
  }
  const int groups = src.c / filter.c;
  if (filter.b % groups != 0) {
    return Invalid("filter has ", filter.b, " outputs, which ", groups,
                   " groups do not divide");
  }
  ASSIGN_OR_RETURN(auto read, ReadConvNode<ConvParams>(node, filter.b));
  return ParsedNode{Conv2dAttributes{read.first, groups},
                    std::move(read.second)};
}

// --- DEPTHWISE_CONV_2D -------------------------------------------------------

absl::StatusOr<ParsedNode> ParseDepthwiseConv2d(const NodeView& node) {
  const Shape& src = node.inputs[0]->shape;
  const Shape& filter = node.inputs[1]->shape;
  if (filter.b != 1) {
    return Invalid("filter must be [1,H,W,O], its first dimension is ",
                   filter.b);
  }
  if (src.c < 1 || filter.c < 1 || filter.c % src.c != 0) {
    return Invalid("filter has ", filter.c,
                   " outputs, no multiple of the input's ", src.c, " channels");
  }
  ASSIGN_OR_RETURN(auto read,
                   ReadConvNode<DepthwiseConvParams>(node, filter.c));
  return ParsedNode{DepthwiseConv2dAttributes{read.first, filter.c / src.c},
                    std::move(read.second)};
}

namespace {

bool AppliesDepthwiseDirect(const Convolution& conv, const Planner&) {
  return conv.kind == Convolution::Kind::kDepthwise;
}

absl::Status PlanDepthwiseDirect(const Convolution& conv, Planner* planner) {
  const Shape& dst = conv.dst_shape;
  const int pixels = Even(dst.w, planner->choices().depthwise_tile_pixels);
  Dispatch d = ConvDispatch("depthwise_conv_2d", conv);
  d.Define("TILE_PIXELS", pixels);
  if (conv.multiplier > 1) d.Define("MULTIPLIED");
  d.Grid(DivideUp(dst.w, pixels), dst.h, dst.slices() * dst.b);
  BindWindow(conv, &d);
  d.uniforms.Int("multiplier", conv.multiplier);
  RETURN_IF_ERROR(BindFilter(conv, planner, &d));
  return planner->Add(std::move(d));
}

// A depthwise convolution whose shader can keep the weights, a row of input and
// sums in registers or close by, which pays as taps of neighbouring outputs
// coincide: one of the two steps is 1, and the taps are within an image.
bool SharesTaps(const Convolution& conv) {
  constexpr int kMaxWindow = 5;
  const SlidingWindow& window = conv.window;
  return conv.kind == Convolution::Kind::kDepthwise && conv.multiplier == 1 &&
         (window.stride_h == 1 || window.dilation_h == 1) &&
         (window.stride_w == 1 || window.dilation_w == 1) &&
         window.dilation_h <= conv.dst_shape.h &&
         window.dilation_w <= conv.dst_shape.w && conv.window_h <= kMaxWindow &&
         conv.window_w <= kMaxWindow;
}

// Parts of `part` elements on an axis, for every phase of a dilation.
int64_t PartsOfAxis(int extent, int dilation, int part) {
  const int64_t whole = int64_t{part} * dilation;
  return (extent + whole - 1) / whole * dilation;
}

// Rows of input between rows of output that it can spell out.
constexpr int kMaxStride = 2;
// Vectors of invocations that keep a processor's cores busy.
constexpr int kManyVectors = 16;
// Shorter strips read too many rows twice.
constexpr int kShortStrip = 7;

bool AppliesDepthwiseRows(const Convolution& conv, const Planner& planner) {
  return planner.choices().simd_lanes > 1 && SharesTaps(conv) &&
         conv.window.stride_h <= kMaxStride;
}

// Rows per strip, such that there are enough strips of similar length, in an
// image with `columns` tiles side by side, those of all slices included.
int RowsOfStrip(int rows, int64_t columns, int lanes) {
  const auto wanted =
      static_cast<int>((int64_t{kManyVectors} * lanes + columns - 1) / columns);
  const int longest = std::max(kShortStrip, DivideUp(rows, wanted));
  return Even(rows, longest);
}

absl::Status PlanDepthwiseRows(const Convolution& conv, Planner* planner) {
  const DeviceChoices& choices = planner->choices();
  const SlidingWindow& window = conv.window;
  const Shape& dst = conv.dst_shape;
  // Whole tiles if the image is large enough: layers of any width then share a
  // program, whose compilation takes LLVM longer than the idle part of a tile.
  const int pixels = std::min(choices.depthwise_tile_pixels,
                              DivideUp(dst.w, window.dilation_w));
  const int64_t tiles_x = PartsOfAxis(dst.w, window.dilation_w, pixels);
  const int rows = RowsOfStrip(DivideUp(dst.h, window.dilation_h),
                               tiles_x * window.dilation_h * dst.slices(),
                               choices.simd_lanes);
  const int64_t strips = PartsOfAxis(dst.h, window.dilation_h, rows);
  Dispatch d = ConvDispatch("depthwise_conv_2d_rows", conv);
  if (window.IsDilated()) d.Define("DILATED");
  d.Define("TILE_PIXELS", pixels);
  BindDepthwiseWindow(conv, &d);
  d.Grid(tiles_x * strips * dst.slices(), 1, dst.b);
  d.uniforms.Int4("tiling", static_cast<int>(tiles_x), static_cast<int>(strips),
                  rows, 0);
  // One vector: a strip is long.
  d.WorkGroup(choices.simd_lanes, 1, 1);
  RETURN_IF_ERROR(BindFilter(conv, planner, &d));
  return planner->Add(std::move(d));
}

// Rows of input that the shader can spell out.
constexpr int kMaxRows = 7;

bool AppliesDepthwiseTiled(const Convolution& conv, const Planner& planner) {
  const DeviceChoices& choices = planner.choices();
  // Of one output the direct way has one program for all windows.
  if (SharesAll(choices) && choices.depthwise_tile_pixels == 1 &&
      choices.depthwise_tile_rows == 1) {
    return false;
  }
  return SharesTaps(conv) && conv.window_w <= choices.depthwise_unrolled_taps;
}

absl::Status PlanDepthwiseTiled(const Convolution& conv, Planner* planner) {
  const DeviceProfile& profile = planner->profile();
  const SlidingWindow& window = conv.window;
  const Shape& dst = conv.dst_shape;
  const int pixels = Even(DivideUp(dst.w, window.dilation_w),
                          profile.choices.depthwise_tile_pixels);
  // One row of the window at a time is in registers, for compilers that spill.
  const int taps = conv.window_h * conv.window_w;
  const bool rolled = taps > profile.choices.depthwise_unrolled_taps;
  const int max_rows =
      rolled ? 1
             : std::max(1, (kMaxRows - conv.window_h) / window.stride_h + 1);
  const int rows =
      Even(DivideUp(dst.h, window.dilation_h),
           std::min(profile.choices.depthwise_tile_rows, max_rows));
  const int64_t tiles_x = PartsOfAxis(dst.w, window.dilation_w, pixels);
  const int64_t tiles = tiles_x * PartsOfAxis(dst.h, window.dilation_h, rows);
  Dispatch d = ConvDispatch("depthwise_conv_2d_tiled", conv);
  d.Define("TILE_PIXELS", pixels).Define("TILE_ROWS", rows);
  if (rows > 1) {
    const int read = (rows - 1) * window.stride_h + conv.window_h;
    d.Define("ADD_ROWS", Calls("add_row(", read));
  }
  BindDepthwiseWindow(conv, &d);
  d.Grid(tiles, dst.slices(), dst.b);
  d.uniforms.Float4("reciprocals",
                    {Reciprocal(tiles_x), Reciprocal(window.dilation_w),
                     Reciprocal(window.dilation_h), 0});
  d.uniforms.Int("tiles_x", static_cast<int>(tiles_x));
  BindQuotients(tiles, &d);
  if (rolled) {
    d.Define("ROLLED", 1);
    d.uniforms.Int("window_rows", conv.window_h);
  }
  if (rows == 1 && profile.choices.depthwise_by_columns != 0) {
    d.Define("BY_COLUMNS", 1);
  }
  if (profile.choices.share_programs > 0) d.Define("ROLLED_OUTPUTS");
  RETURN_IF_ERROR(BindFilter(conv, planner, &d));
  return planner->Add(std::move(d));
}

// --- A 1x1 convolution and a depthwise one -----------------------------------

constexpr int kPlaneSlices = 2;  // planes of a work group
constexpr int kTilePixels = 2;   // pixels of an invocation
constexpr int kInvocations = 512;
// Shared memory is rounded up to this many texels, so that layers of many sizes
// share a program.
constexpr int kSharedStep = 512;

// How a work group shares out its planes.
struct PlaneTiling {
  int invocations = 0;  // 0: they fit no work group
  int tiles = 1;        // of pixels
  int lanes = 1;        // of a sum
  int shared_texels = 0;
};

bool PlaneTilingFits(const PlaneTiling& t, const DeviceLimits& limits) {
  return t.invocations <= limits.max_work_group_invocations &&
         t.invocations <= limits.max_work_group_size[0] &&
         16 * t.shared_texels <= limits.max_shared_memory_bytes;
}

// `terms` are slices that a sum of the 1x1 convolution has, `taps` places that
// the depthwise one's window has.
PlaneTiling ChooseTiling(int pixels, int terms, int taps,
                         const DeviceLimits& limits) {
  PlaneTiling t;
  t.tiles = DivideUp(pixels, kTilePixels);
  for (t.invocations = std::max(kInvocations, t.tiles);
       t.invocations >= t.tiles; t.invocations /= 2) {
    t.lanes = std::min(t.invocations / t.tiles, terms);
    const int texels =
        kPlaneSlices *
        (pixels + t.tiles * kTilePixels * t.lanes + taps + /*bias=*/1);
    t.shared_texels = DivideUp(texels, kSharedStep) * kSharedStep;
    if (!PlaneTilingFits(t, limits)) t.shared_texels = texels;
    if (PlaneTilingFits(t, limits)) return t;
  }
  return {};
}

PlaneTiling PlaneTilingOf(const Convolution& conv, const Planner& planner) {
  return ChooseTiling(conv.src_shape.h * conv.src_shape.w,
                      conv.src_shape.slices(), conv.filter.taps,
                      planner.profile().limits);
}

bool AppliesPlanes(const Convolution& conv, const Planner& planner) {
  return conv.kind == Convolution::Kind::kPointwiseDepthwise &&
         PlaneTilingOf(conv, planner).invocations > 0;
}

absl::Status PlanPlanes(const Convolution& conv, Planner* planner) {
  const Graph& graph = planner->graph();
  const Shape& src = conv.src_shape;
  const Shape& dst = conv.dst_shape;
  const int pixels = src.h * src.w;
  const PlaneTiling t = PlaneTilingOf(conv, *planner);
  const int64_t groups = DivideUp(dst.slices(), kPlaneSlices);
  Dispatch d = ConvDispatch("pointwise_depthwise", conv);
  d.Define("TILE_PIXELS", kTilePixels)
      .Define("PLANE_SLICES", kPlaneSlices)
      .Define("SHARED", t.shared_texels)
      .Constant(PackPointwiseFilter(conv.inner.weights, graph))
      .Constant(PackDepthwiseFilter(conv.weights, graph, "depthwise"))
      .Grid(groups * t.invocations, 1, src.b)
      .WorkGroup(t.invocations, 1, 1)
      .SharedMemory(int64_t{16} * t.shared_texels);
  d.Apply(kInnerStage, conv.inner.stage);
  BindWindow(conv, &d);
  d.uniforms.Int4("plane", pixels, t.tiles, t.lanes, dst.h * dst.w);
  // Dividends are all below the size of shared memory.
  d.uniforms.Float4("of_plane", {Reciprocal(pixels), Reciprocal(t.tiles),
                                 Reciprocal(dst.h * dst.w),
                                 Reciprocal(conv.filter.taps + /*bias=*/1)});
  d.uniforms.Float4("of_width", {Reciprocal(src.w), Reciprocal(dst.w), 0, 0});
  return planner->Add(std::move(d));
}

}  // namespace

const ConvStrategy kDepthwiseDirect = {
    "depthwise_direct", AppliesDepthwiseDirect, PlanDepthwiseDirect};
const ConvStrategy kDepthwiseRows = {"depthwise_rows", AppliesDepthwiseRows,
                                     PlanDepthwiseRows};
const ConvStrategy kDepthwiseTiled = {"depthwise_tiled", AppliesDepthwiseTiled,
                                      PlanDepthwiseTiled};
const ConvStrategy kPointwiseDepthwise = {"pointwise_depthwise", AppliesPlanes,
                                          PlanPlanes};

// --- TRANSPOSE_CONV ----------------------------------------------------------

namespace {

// TRANSPOSE_CONV got its activation in version 4 (TFLite 2.12), which
// converters give to nodes that have one. For older versions, 2.8 to 2.11
// ignore it, and 2.12 to 2.14 apply it (tried with float, int8, uint8 and
// int16).
constexpr int kVersionWithActivation = 4, kMinorWithActivation = 12;

// The padding along an axis with `in` elements of the input and `out` of the
// output.
using PaddingOf = absl::StatusOr<AxisPadding>(int padding, int in, int out,
                                              const Window& window,
                                              absl::string_view axis);

// TRANSPOSE_CONV is the gradient of a convolution from its output's extent to
// its input's, and takes that convolution's padding.
absl::StatusOr<AxisPadding> GradientPadding(int padding, int in, int out,
                                            const Window& window,
                                            absl::string_view axis) {
  auto result = ComputePadding(padding, out, window, axis);
  if (!result.ok() || result->out == in) return result;
  return Invalid("input ", axis, " is ", in, ", an output of ", out,
                 " (window ", window.size, ", stride ", window.stride,
                 ") comes from ", result->out);
}

// Convolution2DTransposeBias: the output follows from the input.
absl::StatusOr<AxisPadding> CustomPadding(int padding, int in, int out,
                                          const Window& window,
                                          absl::string_view axis) {
  if (in < 1 || window.size < 1 || window.stride < 1) {
    return Invalid(axis, ": input ", in, ", window ", window.size, ", stride ",
                   window.stride, " must all be positive");
  }
  if (padding != kPaddingSame && padding != kPaddingValid) {
    return Unimplemented("padding ", padding,
                         " is not supported; SAME (1) and VALID (2) are");
  }
  const int total =
      padding == kPaddingSame
          ? std::max(0, window.size - (in - 1) % window.stride - 1)
          : 0;
  const int64_t extent =
      int64_t{window.stride} * (in - 1) + window.size - total;
  if (extent > std::numeric_limits<int32_t>::max() / 2) {
    return Invalid(axis, ": the output would have ", extent, " elements");
  }
  AxisPadding result;
  result.before = total / 2;
  result.after = total - result.before;
  result.out = static_cast<int>(extent);
  RETURN_IF_ERROR(CheckExtent(result, out, axis));
  return result;
}

absl::StatusOr<ParsedNode> ParseTransposed(const NodeView& node,
                                           const TransposeConvParams& p,
                                           const ConvInputs& inputs,
                                           PaddingOf padding_of) {
  const Shape& src = node.inputs[inputs.data]->shape;
  const Shape& filter = node.inputs[inputs.weights]->shape;
  const Shape& dst = node.outputs[0]->shape;
  if (src.c != filter.c) {
    return Invalid("filter has ", filter.c, " input channels, input has ",
                   src.c);
  }
  RETURN_IF_ERROR(CheckConvOutput(src, filter.b, dst));
  RETURN_IF_ERROR(CheckBias(node.input(inputs.bias), filter.b));
  ASSIGN_OR_RETURN(const auto height,
                   padding_of(p.padding, src.h, dst.h,
                              {filter.h, p.stride_height}, "height"));
  ASSIGN_OR_RETURN(
      const auto width,
      padding_of(p.padding, src.w, dst.w, {filter.w, p.stride_width}, "width"));
  TransposeConvAttributes a;
  a.stride_h = p.stride_height;
  a.stride_w = p.stride_width;
  a.pad_top = height.before;
  a.pad_bottom = height.after;
  a.pad_left = width.before;
  a.pad_right = width.after;
  a.inputs = inputs;
  return ParsedNode{a};
}

}  // namespace

// Node inputs: output shape (constant), filter, data, bias (optional).
absl::StatusOr<ParsedNode> ParseTransposeConv(const NodeView& node) {
  ASSIGN_OR_RETURN(const auto params, node.Get<TransposeConvParams>());
  ASSIGN_OR_RETURN(auto parsed,
                   ParseTransposed(node, *params, {2, 1, 3}, GradientPadding));
  if (node.HasField(kVersionWithActivation, kMinorWithActivation)) {
    ASSIGN_OR_RETURN(parsed.post_ops, FusedActivation(params->activation));
  }
  return parsed;
}

absl::StatusOr<ParsedNode> ParseConvolution2dTransposeBias(
    const NodeView& node) {
  // TRANSPOSE_CONV's first three parameters.
  TransposeConvParams p = {};
  constexpr size_t kBytes = 3 * sizeof(int);
  if (node.custom_params.size() < kBytes) {
    return Invalid("carries ", node.custom_params.size(),
                   " bytes of parameters, wants ", kBytes);
  }
  std::memcpy(&p, node.custom_params.data(), kBytes);
  return ParseTransposed(node, p, {}, CustomPadding);
}

namespace {

bool AppliesTransposeDirect(const Convolution& conv, const Planner&) {
  return conv.kind == Convolution::Kind::kTransposed;
}

absl::Status PlanTransposeDirect(const Convolution& conv, Planner* planner) {
  const SlidingWindow& window = conv.window;
  const Shape& dst = conv.dst_shape;
  // A tile's pixels are a stride apart, so each phase has its own tiles.
  const ConvTile tile = ChooseConvTile(DivideUp(dst.w, window.stride_w),
                                       dst.slices(), planner->choices());
  const int64_t step = int64_t{tile.pixels} * window.stride_w;
  const int64_t tiles_x = (dst.w + step - 1) / step * window.stride_w;
  Dispatch d = ConvDispatch("transpose_conv", conv);
  d.Define("TILE_PIXELS", tile.pixels)
      .Define("TILE_SLICES", tile.slices)
      .Grid(tiles_x, dst.h, DivideUp(dst.slices(), tile.slices) * dst.b);
  if (planner->choices().share_programs > 0) d.Define("ROLLED_OUTPUTS");
  RETURN_IF_ERROR(BindFilter(conv, planner, &d));
  BindWindow(conv, &d);
  return planner->Add(std::move(d));
}

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

absl::Status PlanTransposeUnrolled(const Convolution& conv, Planner* planner) {
  const Shape& src = conv.src_shape;
  const int pixels = Even(src.w, kPixels);
  const int tiles_x = DivideUp(src.w, pixels);
  Dispatch d = ConvDispatch("transpose_conv_unrolled", conv);
  d.Define("TILE_PIXELS", pixels)
      .Define("SLICES", conv.dst_shape.slices())
      .Define("SRC_SLICES", src.slices())
      .Define("KERNEL_W", conv.window_w)
      .Define("KERNEL_H", conv.window_h)
      .Grid(int64_t{tiles_x} * src.h, 1, src.b);
  RETURN_IF_ERROR(BindFilter(conv, planner, &d));
  d.constants.back().literal = true;
  d.uniforms.Int("tiles_x", tiles_x);
  return planner->Add(std::move(d));
}

}  // namespace

const ConvStrategy kTransposeDirect = {
    "transpose_direct", AppliesTransposeDirect, PlanTransposeDirect};
const ConvStrategy kTransposeUnrolled = {
    "transpose_unrolled", AppliesTransposeUnrolled, PlanTransposeUnrolled};

// --- CONV_3D -----------------------------------------------------------------

namespace {

// Of width, height and depth in the dims of tensors and of filters.
constexpr std::array<int, 3> kAxisOfTensor = {3, 2, 1};
constexpr std::array<int, 3> kAxisOfFilter = {2, 1, 0};
constexpr std::array<const char*, 3> kAxisNames = {"width", "height", "depth"};

absl::Status CheckConv3dChannels(const NodeView& node,
                                 const Conv3dAttributes& a) {
  const Tensor& src = *node.inputs[a.inputs.data];
  const Tensor& filter = *node.inputs[a.inputs.weights];
  const Tensor& dst = *node.outputs[0];
  const int inputs = filter.dims[a.transposed ? 4 : 3];
  const int outputs = filter.dims[a.transposed ? 3 : 4];
  if (src.dims[4] != inputs || dst.dims[4] != outputs ||
      src.dims[0] != dst.dims[0]) {
    return Invalid("input ", DimsString(src.dims), ", output ",
                   DimsString(dst.dims), " and a filter of ", inputs, " to ",
                   outputs, " channels do not go together");
  }
  return CheckBias(node.input(a.inputs.bias), outputs);
}

// TFLite's kernel of CONV_3D_TRANSPOSE (2.21) leaves out the last depths of the
// input if the depth is padded differently from the height.
absl::Status CheckEqualPaddings(const std::array<AxisPadding, 3>& paddings) {
  for (int i : {0, 1}) {
    if (paddings[i].before == paddings[2].before &&
        paddings[i].after == paddings[2].after) {
      continue;
    }
    return Unimplemented("the depth is padded by ", paddings[2].before, " and ",
                         paddings[2].after, ", the ", kAxisNames[i], " by ",
                         paddings[i].before, " and ", paddings[i].after,
                         "; TFLite's kernel computes something else then");
  }
  return absl::OkStatus();
}

// The filter as [outputs][taps][inputs].
FilterValues OutputsFirst(const Tensor& tensor, const Filter& filter,
                          bool transposed) {
  return [tensor, filter, transposed](std::vector<float>* room) {
    std::vector<float> own;
    const absl::Span<const float> read = ValuesOf(tensor)(&own);
    const int64_t terms = filter.terms();
    std::vector<float>& values = *room;
    values.assign(terms * filter.outputs, 0.0f);
    if (transposed) {  // [taps][outputs][inputs]
      for (int64_t row = 0; row < filter.taps * filter.outputs; ++row) {
        const int64_t to =
            row % filter.outputs * filter.taps + row / filter.outputs;
        std::copy_n(read.begin() + row * filter.inputs, filter.inputs,
                    values.begin() + to * filter.inputs);
      }
      return absl::MakeConstSpan(values);
    }
    for (int64_t term = 0; term < terms; ++term) {  // [taps][inputs][outputs]
      for (int o = 0; o < filter.outputs; ++o) {
        values[o * terms + term] = read[term * filter.outputs + o];
      }
    }
    return absl::MakeConstSpan(values);
  };
}

}  // namespace

absl::StatusOr<ParsedNode> ParseConv3d(const NodeView& node) {
  ASSIGN_OR_RETURN(const auto params, node.Get<Conv3dParams>());
  const Conv3dParams& p = *params;
  Conv3dAttributes a;
  a.transposed = node.builtin_code == BuiltinOperator_CONV_3D_TRANSPOSE;
  if (a.transposed) a.inputs = {2, 1, 3};
  RETURN_IF_ERROR(CheckConv3dChannels(node, a));
  const int strides[] = {p.stride_width, p.stride_height, p.stride_depth};
  const int dilations[] = {p.dilation_width_factor, p.dilation_height_factor,
                           p.dilation_depth_factor};
  // The windows lie in the input, or in the output if transposed.
  const Tensor* lie_in = node.inputs[a.inputs.data];
  const Tensor* count_of = node.outputs[0];
  if (a.transposed) std::swap(lie_in, count_of);
  std::array<AxisPadding, 3> paddings;
  for (int i = 0; i < 3; ++i) {
    const int axis = kAxisOfTensor[i];
    a.window[i] = {node.inputs[a.inputs.weights]->dims[kAxisOfFilter[i]],
                   strides[i], DilationOf(dilations[i])};
    ASSIGN_OR_RETURN(const auto padding,
                     ComputePadding(p.padding, lie_in->dims[axis], a.window[i],
                                    kAxisNames[i]));
    RETURN_IF_ERROR(CheckExtent(padding, count_of->dims[axis], kAxisNames[i]));
    a.pad[i] = padding.before;
    paddings[i] = padding;
  }
  if (a.transposed) RETURN_IF_ERROR(CheckEqualPaddings(paddings));
  a.src_depth = node.inputs[a.inputs.data]->dims[1];
  a.dst_depth = node.outputs[0]->dims[1];
  ASSIGN_OR_RETURN(auto activation, FusedActivation(p.activation));
  return ParsedNode{a, std::move(activation)};
}

absl::Status PlanConv3d(const Node& node, Planner* planner) {
  const auto& a = node.Get<Conv3dAttributes>();
  const Tensor& src = planner->tensor(node.inputs[a.inputs.data]);
  const Tensor& dst = planner->tensor(node.outputs[0]);
  Filter filter;
  filter.outputs = dst.shape.c;
  filter.inputs = src.shape.c;
  filter.taps = a.window[0].size * a.window[1].size * a.window[2].size;
  const WeightIds ids = WeightsOf(node, a.inputs.weights, a.inputs.bias);
  FilterValues bias = nullptr;
  if (const Tensor* t = ids.Bias(planner->graph()); t != nullptr) {
    bias = ValuesOf(*t);
  }
  const ConvTile tile =
      ChooseConvTile(dst.shape.w, dst.shape.slices(), planner->choices());
  const int tiles_x = DivideUp(dst.shape.w, tile.pixels);
  Dispatch d("conv_3d");
  d.Define("TILE_PIXELS", tile.pixels)
      .Define("TILE_SLICES", tile.slices)
      .Read("src", node.inputs[a.inputs.data])
      .Write("dst", node.outputs[0])
      .Grid(tiles_x * dst.shape.h, DivideUp(dst.shape.slices(), tile.slices),
            dst.shape.b);
  if (a.transposed) d.Define("TRANSPOSED");
  d.Constant(PackFilter(
      OutputsFirst(planner->tensor(ids.weights), filter, a.transposed),
      std::move(bias), filter));
  const auto& [x, y, z] = a.window;
  d.uniforms.Int4("window", x.size, y.size, z.size, tiles_x);
  d.uniforms.Int4("stride", x.stride, y.stride, z.stride, a.dst_depth);
  d.uniforms.Int4("dilation", x.dilation, y.dilation, z.dilation, a.src_depth);
  d.uniforms.Int4("pad", a.pad[0], a.pad[1], a.pad[2], 0);
  return planner->Add(std::move(d));
}

}  // namespace gles_delegate
