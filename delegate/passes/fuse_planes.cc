#include "delegate/passes/fuse_planes.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "delegate/ops/conv/convolution.h"
#include "delegate/ops/conv/pointwise_depthwise.h"
#include "delegate/ops/conv/stages.h"
#include "delegate/passes/dead_nodes.h"
#include "delegate/passes/fusing.h"

namespace gles_delegate {
namespace {

// A convolution of pixels that another one may follow, small enough to pay.
bool IsFirst(const std::optional<Convolution>& conv, const DeviceChoices& c) {
  return conv && conv->kind == Convolution::Kind::kWindow &&
         conv->IsPointwise() && conv->constant_weights &&
         conv->input_stage.empty() &&
         int64_t{conv->src_shape.h} * conv->src_shape.w *
                 conv->src_shape.slices() <=
             c.fused_plane_work;
}

bool IsDepthwiseAfter(const Node& node, const std::optional<Convolution>& conv,
                      const Convolution& first) {
  return conv && conv->kind == Convolution::Kind::kDepthwise &&
         conv->src == first.dst && conv->multiplier == 1 &&
         conv->constant_weights && conv->integer_path == first.integer_path &&
         !IsOperand(first.dst, node);
}

bool CanPlanPointwiseDepthwise(const Node& node, Graph* graph,
                               const DeviceProfile& profile) {
  Planner planner(graph, profile);
  return FitsBindingsAsPair(node, profile) &&
         PlanPointwiseDepthwise(node, &planner).ok();
}

}  // namespace

void FusePlanes(Graph* graph, const DeviceProfile& profile) {
  if (profile.choices.fused_plane_work == 0) return;
  const Uses uses(*graph);
  std::vector<bool> removed(graph->nodes.size(), false);
  for (size_t n = 0; n < graph->nodes.size(); ++n) {
    const Node& first = graph->nodes[n];
    const auto pointwise = Convolution::Of(*graph, first);
    if (!IsFirst(pointwise, profile.choices)) continue;
    if (!AreCheap(*graph, first, pointwise->dst)) continue;
    Node* const second = OnlyReader(pointwise->dst, uses, graph);
    if (second == nullptr) continue;
    const auto depthwise = Convolution::Of(*graph, *second);
    if (!IsDepthwiseAfter(*second, depthwise, *pointwise)) continue;
    Node fused = *second;
    fused.op = &PointwiseDepthwise();
    fused.attributes = PointwiseDepthwiseAttributes{depthwise->window};
    fused.stages = {{std::string(kInnerStage), first.post_ops}};
    fused.inputs = {pointwise->src, pointwise->weights.weights,
                    pointwise->weights.bias, depthwise->weights.weights,
                    depthwise->weights.bias};
    if (!CanPlanPointwiseDepthwise(fused, graph, profile)) continue;
    *second = std::move(fused);
    removed[n] = true;
  }
  RemoveNodes(removed, graph);
}

}  // namespace gles_delegate
