#include "delegate/passes/fuse_depthwise.h"

#include <algorithm>
#include <any>
#include <limits>
#include <optional>
#include <utility>

#include "delegate/ops/conv/conv_2d.h"
#include "delegate/ops/conv/conv_tile.h"
#include "delegate/ops/conv/conv_weights.h"
#include "delegate/ops/conv/depthwise_pointwise.h"
#include "delegate/passes/dead_nodes.h"

namespace gles_delegate {
namespace {

constexpr int kMaxWindow = 5;

bool IsConstant(const Graph& graph, const WeightIds& ids) {
  return graph.tensor(ids.weights).is_constant() &&
         (ids.bias == kNoTensor || graph.tensor(ids.bias).is_constant());
}

// The node's part of a fused one; nothing where it cannot be one.
std::optional<DepthwisePointwiseAttributes> AsFirst(const Graph& graph,
                                                    const Node& node) {
  const auto* a = std::any_cast<DepthwiseConv2dAttributes>(&node.attributes);
  if (a == nullptr || a->multiplier != 1 || node.post_ops.size() > 1 ||
      !IsConstant(graph, WeightsOf(node, 1, 2))) {
    return std::nullopt;
  }
  const Shape& window = graph.tensor(node.inputs[1]).shape;
  if (window.w > kMaxWindow || window.h > kMaxWindow) return std::nullopt;
  constexpr float kInf = std::numeric_limits<float>::infinity();
  if (node.post_ops.empty()) {
    return DepthwisePointwiseAttributes{*a, -kInf, kInf};
  }
  const PostOp& op = node.post_ops[0];
  if (op.function != "clamp") return std::nullopt;
  return DepthwisePointwiseAttributes{*a, op.params[0], op.params[1]};
}

bool IsSecond(const Graph& graph, const Node& node, TensorId between) {
  const auto* a = std::any_cast<Conv2dAttributes>(&node.attributes);
  if (a == nullptr || node.inputs[0] != between) return false;
  const Shape& window = graph.tensor(node.inputs[1]).shape;
  return IsPointwise(*a, window.w, window.h, graph.tensor(between).shape,
                     graph.tensor(node.outputs[0]).shape) &&
         IsConstant(graph, WeightsOf(node, 1, 2)) &&
         std::none_of(node.post_ops.begin(), node.post_ops.end(),
                      [&](const PostOp& op) { return op.operand == between; });
}

int64_t Work(const Graph& graph, const Node& first, const Node& second) {
  constexpr int kSlicesAtOnce = 16;
  const Shape& window = graph.tensor(first.inputs[1]).shape;
  const int times =
      DivideUp(graph.tensor(second.outputs[0]).shape.slices(), kSlicesAtOnce);
  return int64_t{window.w} * window.h * window.slices() * times;
}

// What of it pays. A fused pair saves a dispatch, which is nothing to an output
// that keeps the device busy many times over; the work remains (measured on an
// H200: docs/performance.md).
int64_t MostWork(const Shape& dst, const DeviceProfile& profile) {
  constexpr int kLargeOutput = 16;  // of what fills the device
  constexpr int kLargePart = 8;
  const int64_t texels = int64_t{dst.b} * dst.h * dst.w * dst.slices();
  const bool large =
      profile.choices.split_target > 0 &&
      texels > int64_t{kLargeOutput} * profile.choices.split_target;
  return profile.choices.fused_depthwise_work / (large ? kLargePart : 1);
}

// Both sets of weights, what is read, what is written, operands.
int TensorCount(const Node& node) {
  int count = 4;
  for (const PostOp& op : node.post_ops) count += op.operand != kNoTensor;
  return count;
}

bool CanPlan(const Node& node, Graph* graph, const DeviceProfile& profile) {
  Planner planner(graph, profile);
  return TensorCount(node) <= MaxBoundTensors(profile) &&
         PlanDepthwisePointwise(node, &planner).ok();
}

}  // namespace

void FuseDepthwise(Graph* graph, const DeviceProfile& profile) {
  if (profile.choices.fused_depthwise_work == 0) return;
  const Uses uses(*graph);
  std::vector<bool> removed(graph->nodes.size(), false);
  for (size_t n = 0; n < graph->nodes.size(); ++n) {
    const Node& first = graph->nodes[n];
    const auto attributes = AsFirst(*graph, first);
    if (!attributes) continue;
    const TensorId between = first.outputs[0];
    const auto& consumers = uses.consumers[between];
    // Of a view, a concatenation in place is a reader too.
    if (uses.is_output[between] || consumers.size() != 1 ||
        graph->tensor(between).view.of != kNoTensor) {
      continue;
    }
    Node& second = graph->nodes[consumers[0]];
    if (!IsSecond(*graph, second, between) ||
        Work(*graph, first, second) >
            MostWork(graph->tensor(second.outputs[0]).shape, profile)) {
      continue;
    }
    Node fused = second;
    fused.op = &DepthwisePointwise();
    fused.attributes = *attributes;
    const WeightIds a = WeightsOf(first, 1, 2);
    const WeightIds b = WeightsOf(second, 1, 2);
    fused.inputs = {first.inputs[0], a.weights, a.bias, b.weights, b.bias};
    if (!CanPlan(fused, graph, profile)) continue;
    second = std::move(fused);
    removed[n] = true;
  }
  RemoveNodes(removed, graph);
}

}  // namespace gles_delegate
