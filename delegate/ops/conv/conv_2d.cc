#include "delegate/ops/conv/conv_2d.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/conv/conv_strategies.h"
#include "delegate/ops/conv/conv_weights.h"
#include "delegate/ops/stages.h"
#include "delegate/ops/work_group.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

absl::Status CheckConvOutput(const Shape& src, int outputs, const Shape& dst) {
  if (dst.b == src.b && dst.c == outputs) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("output is ", dst.ToString(), ", input has batch ", src.b,
                   " and filter ", outputs, " outputs"));
}

namespace {

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
    return absl::InvalidArgumentError(
        absl::StrCat("filter has ", filter.c, " input channels, input has ",
                     src.c, "; the one must divide the other"));
  }
  const int groups = src.c / filter.c;
  if (filter.b % groups != 0) {
    return absl::InvalidArgumentError(absl::StrCat("filter has ", filter.b,
                                                   " outputs, which ", groups,
                                                   " groups do not divide"));
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
    return absl::InvalidArgumentError(absl::StrCat(
        "filter must be [1,H,W,O], its first dimension is ", filter.b));
  }
  if (src.c < 1 || filter.c < 1 || filter.c % src.c != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "filter has ", filter.c, " outputs, no multiple of the input's ", src.c,
        " channels"));
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

void PlanDepthwiseDirect(const Convolution& conv, Planner* planner) {
  const Shape& dst = conv.dst_shape;
  const int pixels =
      Even(dst.w, planner->profile().choices.depthwise_tile_pixels);
  Dispatch d("depthwise_conv_2d");
  d.Define("TILE_PIXELS", pixels);
  if (conv.multiplier > 1) d.Define("MULTIPLIED");
  d.Read("src", conv.src)
      .Write("dst", conv.dst)
      .Grid(DivideUp(dst.w, pixels), dst.h, dst.slices() * dst.b);
  BindWindow(conv, &d);
  d.uniforms.Int("multiplier", conv.multiplier);
  BindFilter(conv, planner, &d);
  planner->Add(std::move(d));
}

}  // namespace

const ConvStrategy kDepthwiseDirect = {
    "depthwise_direct", AppliesDepthwiseDirect, PlanDepthwiseDirect};

namespace {

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
  return planner.profile().choices.simd_lanes > 1 && SharesTaps(conv) &&
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

void PlanDepthwiseRows(const Convolution& conv, Planner* planner) {
  const DeviceChoices& choices = planner->profile().choices;
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
  Dispatch d("depthwise_conv_2d_rows");
  if (window.IsDilated()) d.Define("DILATED");
  d.Define("TILE_PIXELS", pixels);
  BindDepthwiseWindow(conv, &d);
  d.Read("src", conv.src)
      .Write("dst", conv.dst)
      .Grid(tiles_x * strips * dst.slices(), 1, dst.b);
  d.uniforms.Int4("tiling", static_cast<int>(tiles_x), static_cast<int>(strips),
                  rows, 0);
  // One vector: a strip is long.
  d.WorkGroup(choices.simd_lanes, 1, 1);
  BindFilter(conv, planner, &d);
  planner->Add(std::move(d));
}

}  // namespace

const ConvStrategy kDepthwiseRows = {"depthwise_rows", AppliesDepthwiseRows,
                                     PlanDepthwiseRows};

namespace {

// Rows of input that the shader can spell out.
constexpr int kMaxRows = 7;

bool AppliesDepthwiseTiled(const Convolution& conv, const Planner& planner) {
  const DeviceChoices& choices = planner.profile().choices;
  // Of one output the direct way has one program for all windows.
  if (SharesAll(choices) && choices.depthwise_tile_pixels == 1 &&
      choices.depthwise_tile_rows == 1) {
    return false;
  }
  return SharesTaps(conv) && conv.window_w <= choices.depthwise_unrolled_taps;
}

void PlanDepthwiseTiled(const Convolution& conv, Planner* planner) {
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
  Dispatch d("depthwise_conv_2d_tiled");
  d.Define("TILE_PIXELS", pixels).Define("TILE_ROWS", rows);
  if (rows > 1) {
    const int read = (rows - 1) * window.stride_h + conv.window_h;
    d.Define("ADD_ROWS", Calls("add_row(", read));
  }
  BindDepthwiseWindow(conv, &d);
  d.Read("src", conv.src)
      .Write("dst", conv.dst)
      .Grid(tiles, dst.slices(), dst.b);
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
  BindFilter(conv, planner, &d);
  planner->Add(std::move(d));
}

}  // namespace

const ConvStrategy kDepthwiseTiled = {"depthwise_tiled", AppliesDepthwiseTiled,
                                      PlanDepthwiseTiled};

// --- A 1x1 convolution and a depthwise one -----------------------------------

namespace {

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

PackedConstant PointwiseFilterOf(const Graph& graph, const WeightIds& ids) {
  const Shape& s = graph.tensor(ids.weights).shape;
  return PackFilter(ids, {s.b, 1, s.c, 1}, graph);
}

PackedConstant DepthwiseFilterOf(const Graph& graph, const WeightIds& ids) {
  PackedConstant packed =
      PackDepthwiseFilter(graph.tensor(ids.weights), ids.Bias(graph));
  packed.name = "depthwise";
  return packed;
}

bool AppliesPlanes(const Convolution& conv, const Planner& planner) {
  return conv.kind == Convolution::Kind::kPointwiseDepthwise &&
         PlaneTilingOf(conv, planner).invocations > 0;
}

void PlanPlanes(const Convolution& conv, Planner* planner) {
  const Graph& graph = planner->graph();
  const Shape& src = conv.src_shape;
  const Shape& dst = conv.dst_shape;
  const int pixels = src.h * src.w;
  const PlaneTiling t = PlaneTilingOf(conv, *planner);
  const int64_t groups = DivideUp(dst.slices(), kPlaneSlices);
  Dispatch d("pointwise_depthwise");
  d.Define("TILE_PIXELS", kTilePixels)
      .Define("PLANE_SLICES", kPlaneSlices)
      .Define("SHARED", t.shared_texels)
      .Read("src", conv.src)
      .Write("dst", conv.dst)
      .Constant(PointwiseFilterOf(graph, conv.inner.weights))
      .Constant(DepthwiseFilterOf(graph, conv.weights))
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
  planner->Add(std::move(d));
}

}  // namespace

const ConvStrategy kPointwiseDepthwise = {"pointwise_depthwise", AppliesPlanes,
                                          PlanPlanes};

}  // namespace gles_delegate
