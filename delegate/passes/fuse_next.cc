// Makes a 1x1 convolution the next stage of the convolution whose result it
// takes, if both have constant weights: typically the first convolution of a
// bottleneck, after the last of the one before. Saves a dispatch; both results
// are stored, so that the first may have other readers. The 1x1 convolution's
// post-ops may read only a table; both compute on real values, or both on
// quantized values.
//
// A work group reads all weights of the 1x1 convolution, so these may have at
// most profile.choices.fused_next_texels texels. Run it after all passes that
// change what convolutions read.
#include <optional>
#include <utility>
#include <vector>

#include "delegate/graph/op.h"
#include "delegate/ops/conv/convolution.h"
#include "delegate/ops/stages.h"
#include "delegate/passes/all_passes.h"
#include "delegate/passes/fusing.h"

namespace gles_delegate {
namespace {

bool MayHaveNext(const Node& node, const std::optional<Convolution>& conv) {
  return conv && node.outputs.size() == 1 && conv->constant_weights &&
         (conv->kind == Convolution::Kind::kWindow ||
          conv->kind == Convolution::Kind::kDepthwisePointwise);
}

// An output that keeps the device busy many times over wants the large tiles of
// two dispatches.
bool IsLarge(const Convolution& next, const DeviceChoices& choices) {
  constexpr int kLargeOutput = 16;  // of what fills the device
  return int64_t{next.pixels()} * next.dst_shape.slices() >
         int64_t{kLargeOutput} * choices.split_k_target;
}

bool IsNext(const Graph& graph, const Node& node,
            const std::optional<Convolution>& conv, const Node& first,
            const DeviceChoices& choices) {
  if (!conv || conv->kind != Convolution::Kind::kWindow ||
      conv->src != first.outputs[0] || !conv->IsPointwise() ||
      !conv->constant_weights || !conv->input_stage.empty() ||
      node.integer_path != first.integer_path ||
      node.always_float32 != first.always_float32 ||
      graph.tensor(conv->dst).view.of != kNoTensor) {
    return false;
  }
  const int texels = conv->src_shape.slices() * 4 * conv->dst_shape.slices();
  return texels <= choices.fused_next_texels && !IsLarge(*conv, choices);
}

// Both as one node.
Node Fused(const Node& first, const Convolution& next, const Node& next_node) {
  Node fused = first;
  AddConvolution(kNextStage, next_node, next.weights, &fused);
  fused.outputs.push_back(next_node.outputs[0]);
  return fused;
}

// Whether the device has room for both, and binds all that they read and write.
bool CanPlan(const Node& node, Graph* graph, const DeviceProfile& profile) {
  Planner planner(graph, profile);
  if (!node.op->plan(node, &planner).ok()) return false;
  const Dispatch& d = planner.dispatches().back();
  const size_t bound = d.reads.size() + d.writes.size() + d.constants.size();
  return static_cast<int>(bound) + CountOperands(node) <=
         MaxBoundTensors(profile);
}

// The node of the 1x1 convolution that `first` can compute as well: its index
// and both as one node. nullopt: there is none.
std::optional<std::pair<int, Node>> NextOfNode(const Node& first,
                                               const Uses& uses,
                                               const DeviceProfile& profile,
                                               Graph* graph) {
  for (const int n : uses.consumers[first.outputs[0]]) {
    const Node& node = graph->nodes[n];
    const auto next = Convolution::Of(*graph, node);
    if (!IsNext(*graph, node, next, first, profile.choices)) continue;
    if (!ReadOnlyTables(node.post_ops)) continue;
    Node fused = Fused(first, *next, node);
    if (CanPlan(fused, graph, profile)) return std::pair(n, std::move(fused));
  }
  return std::nullopt;
}

}  // namespace

void FuseNext(Graph* graph, const DeviceProfile& profile) {
  if (profile.choices.fused_next_texels == 0) return;
  const Uses uses(*graph);
  std::vector<bool> removed(graph->nodes.size(), false);
  for (size_t n = 0; n < graph->nodes.size(); ++n) {
    Node& first = graph->nodes[n];
    if (removed[n] || !MayHaveNext(first, Convolution::Of(*graph, first))) {
      continue;
    }
    auto next = NextOfNode(first, uses, profile, graph);
    if (!next) continue;
    removed[next->first] = true;
    first = std::move(next->second);
  }
  RemoveNodes(removed, graph);
}

}  // namespace gles_delegate
