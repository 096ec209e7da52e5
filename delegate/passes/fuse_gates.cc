#include "delegate/passes/fuse_gates.h"

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
constexpr int kMaxGatedSlices = 1024;

struct Gated {
  TensorId source = kNoTensor;
  InputGate gate;
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
std::optional<Gated> AsGated(const Graph& graph, const Node& node) {
  const auto& ops = node.post_ops;
  if (!IsPlainElementwise(graph, node) || node.integer_path || ops.empty() ||
      ops.size() > 2 || !IsPlainFunction(ops[0], "mul") ||
      (ops.size() == 2 && !IsPlainFunction(ops[1], "add"))) {
    return std::nullopt;
  }
  const int source =
      std::any_cast<const ElementwiseAttributes&>(node.attributes).source;
  Gated gated = {node.inputs[source], {ops[0].operand, kNoTensor}};
  const Tensor& x = graph.tensor(gated.source);
  const Tensor& gate = graph.tensor(gated.gate.gate);
  if (x.shape.b != 1 || !(gate.shape == Shape{1, 1, 1, x.shape.c}) ||
      gate.is_constant() || x.is_constant() || x.is_variable || !IsFloat(x) ||
      !IsFloat(gate) || !IsFloat(graph.tensor(node.outputs[0]))) {
    return std::nullopt;
  }
  if (ops.size() == 1) return gated;
  gated.gate.addend = ops[1].operand;
  const Tensor& addend = graph.tensor(gated.gate.addend);
  if (addend.shape != x.shape || addend.is_constant() || addend.is_variable ||
      !IsFloat(addend)) {
    return std::nullopt;
  }
  return gated;
}

bool CanTakeGate(const Graph& graph, const Node& node, TensorId product,
                 const DeviceProfile& profile) {
  // Weights, input, output, the channel scale and its addend.
  constexpr int kTensors = 5;
  const auto conv = Convolution::Of(graph, node);
  return conv && conv->CanTakeGate() && conv->src == product &&
         !IsOperand(product, node) &&
         kTensors + CountOperands(node) <= MaxBoundTensors(profile) &&
         conv->dst_shape.slices() <= kMaxGatedSlices;
}

}  // namespace

void FuseGates(Graph* graph, const DeviceProfile& profile) {
  if (profile.choices.read_through == 0) return;
  const Uses uses(*graph);
  std::vector<bool> removed(graph->nodes.size(), false);
  for (size_t n = 0; n < graph->nodes.size(); ++n) {
    const auto gated = AsGated(*graph, graph->nodes[n]);
    if (!gated) continue;
    const TensorId product = graph->nodes[n].outputs[0];
    Node* const conv = OnlyReader(product, uses, graph);
    if (conv == nullptr || !CanTakeGate(*graph, *conv, product, profile)) {
      continue;
    }
    conv->inputs[0] = gated->source;
    conv->inputs.resize(kConvGate, kNoTensor);  // a bias may be absent
    conv->inputs.push_back(gated->gate.gate);
    if (gated->gate.addend != kNoTensor) {
      conv->inputs.push_back(gated->gate.addend);
    }
    removed[n] = true;
  }
  RemoveNodes(removed, graph);
}

}  // namespace gles_delegate
