// QUANTIZE of codes, RELU and its like: one quantization's codes as another's.
#include "delegate/passes/codes/helpers.h"
#include "delegate/passes/codes/kernel.h"

namespace gles_delegate::codes {
namespace {

// `scale`: what a code of the input is multiplied by.
std::optional<Node> Rescaled(const Node& node, double scale, Graph* graph) {
  const Tensor& out = graph->tensor(node.outputs[0]);
  const std::optional<Range> range = RangeOf(node, out);
  if (!range || !HoldsCodes(*graph, node.inputs[0])) return std::nullopt;
  const std::vector<quant::Multiplier> multipliers = {
      quant::MultiplierOf(scale)};
  if (!FitSums(multipliers)) return std::nullopt;
  Node rescaled = node;
  rescaled.post_ops = {
      Requantize(multipliers, out, quant::Ties::kAwayFromZero, graph),
      range->AsPostOp()};
  return rescaled;
}

}  // namespace

std::optional<Node> QuantizeOnCodes(const Node& node, const KernelContext& c) {
  const Tensor& in = c.graph->tensor(node.inputs[0]);
  const Tensor& out = c.graph->tensor(node.outputs[0]);
  // A quantization of floats: its input has none.
  if (!in.holds_codes) return std::nullopt;
  return Rescaled(
      node,
      quant::QuantizeScale(in.quantization.scale[0], out.quantization.scale[0]),
      c.graph);
}

std::optional<Node> ReluOnCodes(const Node& node, const KernelContext& c) {
  const Tensor& in = c.graph->tensor(node.inputs[0]);
  const Tensor& out = c.graph->tensor(node.outputs[0]);
  if (!in.holds_codes || in.codes != out.codes) return std::nullopt;
  return Rescaled(
      node,
      quant::ReluScale(in.quantization.scale[0], out.quantization.scale[0]),
      c.graph);
}

}  // namespace gles_delegate::codes
