#include <algorithm>
#include <utility>

#include "delegate/ops/conv/conv_strategies.h"
#include "delegate/ops/conv/conv_tile.h"
#include "delegate/ops/conv/conv_weights.h"
#include "delegate/ops/stages.h"
#include "delegate/ops/work_group.h"
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
