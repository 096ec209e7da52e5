#include "delegate/ops/conv/pointwise_depthwise.h"

#include <algorithm>
#include <any>
#include <utility>

#include "absl/strings/str_cat.h"
#include "delegate/ops/conv/conv_tile.h"
#include "delegate/ops/conv/conv_weights.h"
#include "delegate/ops/quotient.h"
#include "delegate/ops/stages.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
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

PackedConstant PointwiseFilterOf(const Graph& graph, const Node& node) {
  const Shape& s = graph.tensor(node.inputs[1]).shape;
  return PackFilter(WeightIds{node.inputs[1], node.inputs[2]}, {s.b, 1, s.c, 1},
                    graph);
}

PackedConstant DepthwiseFilterOf(const Graph& graph, const Node& node) {
  const TensorId bias = node.inputs[4];
  PackedConstant packed =
      PackDepthwiseFilter(graph.tensor(node.inputs[3]),
                          bias == kNoTensor ? nullptr : &graph.tensor(bias));
  packed.name = "depthwise";
  return packed;
}

}  // namespace

const OpDefinition& PointwiseDepthwise() {
  static const OpDefinition* const op = [] {
    auto* made = new OpDefinition;
    made->name = "CONV_2D+DEPTHWISE_CONV_2D";
    made->plan = PlanPointwiseDepthwise;
    return made;
  }();
  return *op;
}

absl::Status PlanPointwiseDepthwise(const Node& node, Planner* planner) {
  const Graph& graph = planner->graph();
  const auto& a =
      std::any_cast<const PointwiseDepthwiseAttributes&>(node.attributes);
  const Shape& src = planner->tensor(node.inputs[0]).shape;
  const Shape& dst = planner->tensor(node.outputs[0]).shape;
  const Shape& taps = planner->tensor(node.inputs[3]).shape;
  const int pixels = src.h * src.w;
  const PlaneTiling t = ChooseTiling(pixels, src.slices(), taps.h * taps.w,
                                     planner->profile().limits);
  if (t.invocations == 0) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "planes of ", pixels, " pixels fit no work group of the device"));
  }
  const int64_t groups = DivideUp(dst.slices(), kPlaneSlices);
  Dispatch d("pointwise_depthwise");
  d.Define("TILE_PIXELS", kTilePixels)
      .Define("PLANE_SLICES", kPlaneSlices)
      .Define("SHARED", t.shared_texels)
      .Read("src", node.inputs[0])
      .Write("dst", node.outputs[0])
      .Constant(PointwiseFilterOf(graph, node))
      .Constant(DepthwiseFilterOf(graph, node))
      .Grid(groups * t.invocations, 1, src.b)
      .WorkGroup(t.invocations, 1, 1)
      .SharedMemory(int64_t{16} * t.shared_texels);
  d.Apply(kInnerStage, StageOf(node, kInnerStage));
  const SlidingWindow& w = a.window;
  d.uniforms.Int4("stride_pad", w.stride_w, w.stride_h, w.pad_left, w.pad_top);
  d.uniforms.Int4("window", taps.w, taps.h, w.dilation_w, w.dilation_h);
  d.uniforms.Int4("plane", pixels, t.tiles, t.lanes, dst.h * dst.w);
  // Dividends are all below the size of shared memory.
  d.uniforms.Float4("of_plane", {Reciprocal(pixels), Reciprocal(t.tiles),
                                 Reciprocal(dst.h * dst.w),
                                 Reciprocal(taps.h * taps.w + /*bias=*/1)});
  d.uniforms.Float4("of_width", {Reciprocal(src.w), Reciprocal(dst.w), 0, 0});
  planner->Add(std::move(d));
  return absl::OkStatus();
}

}  // namespace gles_delegate
