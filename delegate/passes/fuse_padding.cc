#include "delegate/passes/fuse_padding.h"

#include <algorithm>
#include <any>

#include "delegate/ops/conv_2d.h"
#include "delegate/ops/depthwise_conv_2d.h"
#include "delegate/ops/pad.h"

namespace gles_delegate {
namespace {

bool IsSpatialZeroPad(const Node& node) {
  const auto* pad = std::any_cast<PadAttributes>(&node.attributes);
  return pad != nullptr && pad->edge == Remap::Edge::kFill && pad->value == 0 &&
         !pad->runtime_value && pad->before[0] == 0 && pad->after[0] == 0 &&
         pad->before[3] == 0 && pad->after[3] == 0 && node.post_ops.empty();
}

template <typename Attributes>
bool AddPadding(const PadAttributes& pad, Node* node) {
  auto* a = std::any_cast<Attributes>(&node->attributes);
  if (a == nullptr) return false;
  a->pad_top += pad.before[1];
  a->pad_bottom += pad.after[1];
  a->pad_left += pad.before[2];
  a->pad_right += pad.after[2];
  return true;
}

// Reads `padded` as data, and nowhere else (as an operand, as a filter).
bool IsConvolutionOf(const Node& node, TensorId padded) {
  if (std::any_cast<Conv2dAttributes>(&node.attributes) == nullptr &&
      std::any_cast<DepthwiseConv2dAttributes>(&node.attributes) == nullptr) {
    return false;
  }
  return std::count(node.inputs.begin(), node.inputs.end(), padded) == 1 &&
         node.inputs[0] == padded &&
         std::none_of(node.post_ops.begin(), node.post_ops.end(),
                      [&](const PostOp& op) { return op.operand == padded; });
}

}  // namespace

void FusePadding(Graph* graph) {
  const Uses uses(*graph);
  for (const Node& node : graph->nodes) {
    if (!IsSpatialZeroPad(node)) continue;
    const TensorId padded = node.outputs[0];
    if (uses.is_output[padded]) continue;
    const auto& consumers = uses.consumers[padded];
    if (!std::all_of(consumers.begin(), consumers.end(), [&](int c) {
          return IsConvolutionOf(graph->nodes[c], padded);
        })) {
      continue;
    }
    const auto& pad = std::any_cast<const PadAttributes&>(node.attributes);
    for (int c : consumers) {
      Node& convolution = graph->nodes[c];
      if (AddPadding<Conv2dAttributes>(pad, &convolution) ||
          AddPadding<DepthwiseConv2dAttributes>(pad, &convolution)) {
        convolution.inputs[0] = node.inputs[0];
      }
    }
  }
}

}  // namespace gles_delegate
