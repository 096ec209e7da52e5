#include "delegate/passes/fuse_channel_scales.h"

#include <any>
#include <optional>
#include <utility>

#include "absl/strings/string_view.h"
#include "delegate/ops/conv/conv_2d.h"
#include "delegate/ops/conv/convolution.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/passes/dead_nodes.h"
#include "delegate/passes/fusing.h"

namespace gles_delegate {
namespace {

// Maximum slices of the convolution: each of its tiles repeats the
// multiplication.
constexpr int kMaxScaledSlices = 1024;

struct Scaled {
  TensorId source = kNoTensor;
  InputScale channel_scale;
};

bool IsFloat(const Tensor& tensor) {
  return tensor.type == DataType::kFloat32 && !tensor.is_float_view();
}

bool IsPlainFunction(const PostOp& op, absl::string_view function) {
  return op.function == function && op.operand != kNoTensor &&
         !op.operand_zero_extend && !op.operand_table;
}

// The node as a MUL by a channel scale and an optional ADD; nullopt if it is
// something else.
std::optional<Scaled> AsScaled(const Graph& graph, const Node& node) {
  const auto& ops = node.post_ops;
  if (!IsPlainElementwise(graph, node) || node.integer_path || ops.empty() ||
      ops.size() > 2 || !IsPlainFunction(ops[0], "mul") ||
      (ops.size() == 2 && !IsPlainFunction(ops[1], "add"))) {
    return std::nullopt;
  }
  const int source =
      std::any_cast<const ElementwiseAttributes&>(node.attributes).source;
  Scaled scaled = {node.inputs[source], {ops[0].operand, kNoTensor}};
  const Tensor& x = graph.tensor(scaled.source);
  const Tensor& channel_scale =
      graph.tensor(scaled.channel_scale.channel_scale);
  if (x.shape.b != 1 || !(channel_scale.shape == Shape{1, 1, 1, x.shape.c}) ||
      channel_scale.is_constant() || x.is_constant() || x.is_variable ||
      !IsFloat(x) || !IsFloat(channel_scale) ||
      !IsFloat(graph.tensor(node.outputs[0]))) {
    return std::nullopt;
  }
  if (ops.size() == 1) return scaled;
  scaled.channel_scale.addend = ops[1].operand;
  const Tensor& addend = graph.tensor(scaled.channel_scale.addend);
  if (addend.shape != x.shape || addend.is_constant() || addend.is_variable ||
      !IsFloat(addend)) {
    return std::nullopt;
  }
  return scaled;
}

bool CanTakeChannelScale(const Graph& graph, const Node& node, TensorId product,
                         const DeviceProfile& profile) {
  // Weights, input, output, the channel scale and its addend.
  constexpr int kTensors = 5;
  const auto conv = Convolution::Of(graph, node);
  return conv && conv->CanTakeChannelScale() && conv->src == product &&
         !IsOperand(product, node) &&
         kTensors + CountOperands(node) <= MaxBoundTensors(profile) &&
         conv->dst_shape.slices() <= kMaxScaledSlices;
}

}  // namespace

void FuseChannelScales(Graph* graph, const DeviceProfile& profile) {
  if (profile.choices.read_through == 0) return;
  const Uses uses(*graph);
  std::vector<bool> removed(graph->nodes.size(), false);
  for (size_t n = 0; n < graph->nodes.size(); ++n) {
    const auto scaled = AsScaled(*graph, graph->nodes[n]);
    if (!scaled) continue;
    const TensorId product = graph->nodes[n].outputs[0];
    Node* const conv = OnlyReader(product, uses, graph);
    if (conv == nullptr ||
        !CanTakeChannelScale(*graph, *conv, product, profile)) {
      continue;
    }
    conv->inputs[0] = scaled->source;
    conv->inputs.resize(kConvChannelScale, kNoTensor);  // a bias may be absent
    conv->inputs.push_back(scaled->channel_scale.channel_scale);
    if (scaled->channel_scale.addend != kNoTensor) {
      conv->inputs.push_back(scaled->channel_scale.addend);
    }
    removed[n] = true;
  }
  RemoveNodes(removed, graph);
}

}  // namespace gles_delegate
