// QUANTIZE, RELU and similar ops between two quantizations.
#include "delegate/passes/integer_path/helpers.h"
#include "delegate/passes/integer_path/int16_helpers.h"
#include "delegate/passes/integer_path/kernel.h"

namespace gles_delegate::integer_path {
namespace {

constexpr int kBlock = 16;

// `scale`: the factor of an input value.
std::optional<Node> RescaledQuantized(
    const Node& node, double scale, Graph* graph,
    quant::Ties ties = quant::Ties::kAwayFromZero) {
  const Tensor& out = graph->tensor(node.outputs[0]);
  const std::optional<Range> range = RangeOf(node, out);
  if (!range || !HoldsQuantized(*graph, node.inputs[0])) return std::nullopt;
  const std::vector<quant::Multiplier> multipliers = {
      quant::MultiplierOf(scale)};
  if (!IsMultiplier(multipliers[0])) return std::nullopt;
  Node rescaled = node;
  rescaled.post_ops = {Requantize(multipliers, out, ties, graph),
                       range->AsPostOp()};
  return rescaled;
}

// XNNPACK takes scales of 2^-8 to 2^7, in 256ths.
std::optional<Node> ConvertedByXnnpack(const Node& node, const Graph& graph) {
  const Tensor& in = graph.tensor(node.inputs[0]);
  const Tensor& out = graph.tensor(node.outputs[0]);
  const std::optional<Range> range = RangeOf(node, out);
  const float scale = in.quantization.scale[0] / out.quantization.scale[0];
  if (!range || scale < 1.0f / 256 || scale > 128) return std::nullopt;
  Node converted = node;
  converted.post_ops = {{"rescale_by_256ths",
                         {static_cast<float>(quant::In256ths(scale)), 0, 0, 0}},
                        range->AsPostOp()};
  return converted;
}

// int16, which stays in real values, to 8 bits.
std::optional<Node> OfInt16(const Node& node, const KernelContext& c) {
  const Tensor& in = c.graph->tensor(node.inputs[0]);
  const Tensor& out = c.graph->tensor(node.outputs[0]);
  const std::optional<Range> range = RangeOf(node, out);
  const float scale = in.quantization.scale[0];
  const quant::Multiplier multiplier = quant::MultiplierOf(
      quant::QuantizeScale(scale, out.quantization.scale[0]));
  // A value shifted left by this many bits fits 32 bits.
  constexpr int kMaxShift = 15;
  if (!range || multiplier.shift > kMaxShift) {
    return std::nullopt;
  }
  Node rescaled = node;
  rescaled.post_ops = {
      {"code_of", {scale, 0, 0, 0}},
      Requantize({multiplier}, out, quant::Ties::kAwayFromZero, c.graph),
      range->AsPostOp()};
  return rescaled;
}

}  // namespace

std::optional<Node> QuantizeInIntegers(const Node& node,
                                       const KernelContext& c) {
  const Tensor& in = c.graph->tensor(node.inputs[0]);
  const Tensor& out = c.graph->tensor(node.outputs[0]);
  if (IsInt16(in)) return OfInt16(node, c);
  if (IsFloat(in) && c.traits.quantize_multiplies &&
      node.post_ops.size() == 1) {
    Node quantized = node;
    quantized.post_ops = {QuantizedByInverse(out)};
    return quantized;
  }
  if (!in.holds_quantized) return std::nullopt;
  if (c.cpu == quant::CpuKernels::kXnnpack && in.quantized == out.quantized) {
    if (auto converted = ConvertedByXnnpack(node, *c.graph)) return converted;
  }
  // Newer built-in kernels, and those for ARM, round ties up in blocks of 16
  // values, and the remaining values at the tensor's end away from zero; these
  // are not distinguished here.
  const bool in_blocks = c.cpu == quant::CpuKernels::kTfliteArm ||
                         c.cpu == quant::CpuKernels::kLitert ||
                         c.cpu == quant::CpuKernels::kXnnpack;
  const bool ties_up = in_blocks && out.shape.elements() >= kBlock;
  return RescaledQuantized(
      node,
      quant::QuantizeScale(in.quantization.scale[0], out.quantization.scale[0]),
      c.graph, ties_up ? quant::Ties::kUp : quant::Ties::kAwayFromZero);
}

std::optional<Node> ReluInIntegers(const Node& node, const KernelContext& c) {
  const Tensor& in = c.graph->tensor(node.inputs[0]);
  const Tensor& out = c.graph->tensor(node.outputs[0]);
  if (!in.holds_quantized || in.quantized != out.quantized) return std::nullopt;
  return RescaledQuantized(
      node,
      quant::ReluScale(in.quantization.scale[0], out.quantization.scale[0]),
      c.graph);
}

}  // namespace gles_delegate::integer_path
