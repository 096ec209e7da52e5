// BATCH_MATMUL in integers: int8, as in TFLite's kernel.
#include <vector>

#include "delegate/passes/integer_path/helpers.h"
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

}  // namespace gles_delegate::integer_path
