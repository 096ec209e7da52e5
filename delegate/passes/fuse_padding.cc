// Fuses PAD with zeros into its readers: height and width into convolutions and
// poolings, channels into sums.
#include <algorithm>
#include <any>

#include "delegate/ops/conv/convolution.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/ops/movement/pad.h"
#include "delegate/ops/pooling/pool_2d.h"
#include "delegate/passes/all_passes.h"
#include "delegate/passes/fusing.h"

namespace gles_delegate {
namespace {

bool IsSpatialZeroPad(const Node& node) {
  const auto* pad = std::any_cast<PadAttributes>(&node.attributes);
  return pad != nullptr && pad->edge == Remap::Edge::kFill && pad->value == 0 &&
         !pad->runtime_value && pad->before[0] == 0 && pad->after[0] == 0 &&
         pad->before[3] == 0 && pad->after[3] == 0 && node.post_ops.empty();
}

// A pooling that has no padding itself, which would not be part of the window,
// unlike a PAD's zeros. Not on the integer path, on which a mean has a fixed
// count.
bool IsUnpaddedPooling(const Node& node) {
  const auto* a = std::any_cast<PoolAttributes>(&node.attributes);
  return a != nullptr && !node.integer_path && a->pad_h.before == 0 &&
         a->pad_h.after == 0 && a->pad_w.before == 0 && a->pad_w.after == 0;
}

void AddPadding(const PadAttributes& pad, Node* node) {
  if (SlidingWindow* window = InputWindowOf(node)) {
    window->pad_top += pad.before[kHeightAxis];
    window->pad_bottom += pad.after[kHeightAxis];
    window->pad_left += pad.before[kWidthAxis];
    window->pad_right += pad.after[kWidthAxis];
  } else if (auto* a = std::any_cast<PoolAttributes>(&node->attributes)) {
    a->pad_h.before += pad.before[kHeightAxis];
    a->pad_h.after += pad.after[kHeightAxis];
    a->pad_w.before += pad.before[kWidthAxis];
    a->pad_w.after += pad.after[kWidthAxis];
    a->zeros = true;
  }
}

// Reads `padded` as data, and nowhere else (as an operand, as a filter).
bool IsWindowOf(const Node& node, TensorId padded) {
  return (InputWindowOf(node) != nullptr || IsUnpaddedPooling(node)) &&
         std::count(node.inputs.begin(), node.inputs.end(), padded) == 1 &&
         node.inputs[0] == padded && !IsOperand(padded, node);
}

bool IsChannelZeroPad(const Graph& graph, const Node& node) {
  const auto* pad = std::any_cast<PadAttributes>(&node.attributes);
  return pad != nullptr && pad->edge == Remap::Edge::kFill && pad->value == 0 &&
         !pad->runtime_value && pad->before == AxisArray{} &&
         pad->after[0] == 0 && pad->after[1] == 0 && pad->after[2] == 0 &&
         node.post_ops.empty() && !graph.tensor(node.inputs[0]).is_constant();
}

// A plain x + padded, from either side, of one shape.
bool IsSumOf(const Graph& graph, const Node& node, TensorId padded) {
  if (!IsPlainElementwise(graph, node) || node.inputs.size() != 2 ||
      node.inputs[0] == node.inputs[1] || node.post_ops.empty() ||
      node.post_ops[0].function != "add" ||
      node.post_ops[0].operand == kNoTensor) {
    return false;
  }
  const TensorId other =
      node.inputs[0] == padded ? node.inputs[1] : node.inputs[0];
  const Tensor& x = graph.tensor(other);
  return x.shape == graph.tensor(padded).shape && !x.is_constant();
}

void ReadUnpadded(TensorId padded, TensorId unpadded, Node* node) {
  auto& attributes = *std::any_cast<ElementwiseAttributes>(&node->attributes);
  const int at = node->inputs[0] == padded ? 0 : 1;
  PostOp& add = node->post_ops[0];
  attributes.source = 1 - at;
  add.operand = unpadded;
  add.operand_first = at == 0;
  add.operand_zero_extend = true;
  node->inputs[at] = unpadded;
}

}  // namespace

// Applies if all readers are CONV_2D, DEPTHWISE_CONV_2D, or poolings without
// padding of their own (SAME's padding does not count as part of the window,
// these zeros do: PoolAttributes::zeros) that are not on the integer path.
// RemoveDeadNodes removes the PAD.
void FusePadding(Graph* graph) {
  const Uses uses(*graph);
  for (const Node& node : graph->nodes) {
    if (!IsSpatialZeroPad(node)) continue;
    const TensorId padded = node.outputs[0];
    if (graph->tensor(node.inputs[0]).holds_quantized !=
        graph->tensor(padded).holds_quantized) {
      continue;
    }
    if (uses.is_output[padded]) continue;
    const auto& consumers = uses.consumers[padded];
    if (!std::all_of(consumers.begin(), consumers.end(), [&](int c) {
          return IsWindowOf(graph->nodes[c], padded);
        })) {
      continue;
    }
    const auto& pad = std::any_cast<const PadAttributes&>(node.attributes);
    for (int c : consumers) {
      AddPadding(pad, &graph->nodes[c]);
      graph->nodes[c].inputs[0] = node.inputs[0];
    }
  }
}

// x + PAD(y), with fewer channels in y than in x (a shortcut around a widening
// block): the sum reads y, extended by zeros. Applies if only such sums read
// the padded tensor. Run it before FuseElementwise; RemoveDeadNodes removes the
// PAD.
void FuseChannelPadding(Graph* graph) {
  const Uses uses(*graph);
  for (const Node& node : graph->nodes) {
    if (!IsChannelZeroPad(*graph, node)) continue;
    const TensorId padded = node.outputs[0];
    const auto& consumers = uses.consumers[padded];
    if (uses.is_output[padded] ||
        !std::all_of(consumers.begin(), consumers.end(), [&](int c) {
          return IsSumOf(*graph, graph->nodes[c], padded);
        })) {
      continue;
    }
    for (int c : consumers) {
      // A sum is listed for its input and for its operand.
      const auto& inputs = graph->nodes[c].inputs;
      if (std::count(inputs.begin(), inputs.end(), padded) == 0) continue;
      ReadUnpadded(padded, node.inputs[0], &graph->nodes[c]);
    }
  }
}

}  // namespace gles_delegate
