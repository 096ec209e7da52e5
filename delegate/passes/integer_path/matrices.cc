// BATCH_MATMUL in integers: int8, as in TFLite's kernel.
#include <any>
#include <optional>
#include <utility>
#include <vector>

#include "delegate/ops/matmul/batch_matmul.h"
#include "delegate/passes/integer_path/helpers.h"
#include "delegate/passes/integer_path/int16_helpers.h"
#include "delegate/passes/integer_path/kernel.h"
#include "quant/fixed_point.h"

namespace gles_delegate::integer_path {
namespace {

bool IsMatrixOfQuantized(const Tensor& tensor) {
  return tensor.quantized == DataType::kInt8 &&
         tensor.quantization.scale.size() == 1 &&
         (tensor.holds_quantized || tensor.is_constant());
}

}  // namespace

std::optional<Node> BatchMatMulInIntegers(const Node& node,
                                          const KernelContext& c) {
  const Tensor& out = c.graph->tensor(node.outputs[0]);
  const std::optional<Range> range = RangeOf(node, out);
  if (!range || out.quantized != DataType::kInt8) return std::nullopt;
  Node product = node;
  for (TensorId& id : product.inputs) {
    if (!IsMatrixOfQuantized(c.graph->tensor(id))) return std::nullopt;
    if (c.graph->tensor(id).is_constant()) id = AsQuantized(c.graph, id);
  }
  const std::vector<quant::Multiplier> multipliers = {
      quant::MultiplierOf(quant::ConvolutionScale(
          c.graph->tensor(node.inputs[0]).quantization.scale[0],
          c.graph->tensor(node.inputs[1]).quantization.scale[0],
          out.quantization.scale[0], /*by_channel=*/false))};
  if (!FitSums(multipliers)) return std::nullopt;
  const Quantization& right = c.graph->tensor(node.inputs[1]).quantization;
  if (c.traits.batch_matmul_by_xnnpack && right.zero_point[0] == 0) {
    product.post_ops = {
        RequantizeAsFloat(
            {quant::FloatScale(
                c.graph->tensor(node.inputs[0]).quantization.scale[0],
                right.scale[0], out.quantization.scale[0])},
            out, c.graph),
        range->AsPostOp()};
    return product;
  }
  const quant::Ties ties = c.traits.batch_matmul_away_from_zero
                               ? quant::Ties::kAwayFromZero
                               : quant::Ties::kUp;
  product.post_ops = {Requantize(multipliers, out, ties, c.graph),
                      range->AsPostOp()};
  return product;
}

namespace {

// --- BATCH_MATMUL of 16-bit activations --------------------------------------

// TFLite's sums of more terms may pass the 2^47 that its scaling takes.
constexpr int kMaxDepth = 1 << 17;

// A tensor with the quantized values of `id`; adds the node that makes it.
TensorId AddQuantizedValues(const Node& of, TensorId id,
                            std::vector<Node>* nodes, Graph* graph) {
  const Tensor& tensor = graph->tensor(id);
  if (tensor.is_constant()) return AsQuantized(graph, id);
  const TensorId quantized = AddLike(tensor, "quantized", graph);
  nodes->push_back(Int16Elementwise(
      of, id, quantized, {{"code_of", {tensor.quantization.scale[0], 0, 0, 0}}},
      *graph));
  return quantized;
}

}  // namespace

std::vector<Node> Int16BatchMatMul(const Node& node, const KernelContext& c) {
  Graph* const graph = c.graph;
  const Tensor& x = graph->tensor(node.inputs[0]);
  const Tensor& y = graph->tensor(node.inputs[1]);
  const Tensor& out = graph->tensor(node.outputs[0]);
  const auto& a = std::any_cast<const BatchMatMulAttributes&>(node.attributes);
  const std::optional<PostOp> clamp = Int16Clamp(node.post_ops, out);
  const int depth = x.dims[x.dims.size() - (a.adj_x ? 2 : 1)];
  const auto suits = [](const Tensor& tensor) {
    return IsInt16(tensor) || IsInt16Constant(tensor);
  };
  if (!clamp || !suits(x) || !suits(y) || depth > kMaxDepth) {
    return {};
  }
  const quant::Int16Multiplier m = quant::Int16MultiplierOf(
      quant::ConvolutionScale(x.quantization.scale[0], y.quantization.scale[0],
                              out.quantization.scale[0], /*by_channel=*/false));
  if (m.right < 1 || m.right > 62) return {};
  std::vector<Node> nodes;
  const TensorId of_x = AddQuantizedValues(node, node.inputs[0], &nodes, graph);
  const TensorId of_y = AddQuantizedValues(node, node.inputs[1], &nodes, graph);
  Node product = Int16BatchMatMulNode(node, of_x, of_y, m);
  product.post_ops = {*clamp, {"mul", {out.quantization.scale[0], 0, 0, 0}}};
  nodes.push_back(std::move(product));
  return nodes;
}

}  // namespace gles_delegate::integer_path
