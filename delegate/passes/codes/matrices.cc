// BATCH_MATMUL in integers: int8, as in TFLite's kernel.
#include <vector>

#include "delegate/passes/codes/helpers.h"
#include "delegate/passes/codes/kernel.h"
#include "quant/fixed_point.h"

namespace gles_delegate::codes {
namespace {

bool IsMatrixOfCodes(const Tensor& tensor) {
  return tensor.codes == DataType::kInt8 &&
         tensor.quantization.scale.size() == 1 &&
         (tensor.holds_codes || tensor.is_constant());
}

}  // namespace

std::optional<Node> BatchMatMulOnCodes(const Node& node,
                                       const KernelContext& c) {
  const Tensor& out = c.graph->tensor(node.outputs[0]);
  const std::optional<Range> range = RangeOf(node, out);
  if (!range || out.codes != DataType::kInt8) return std::nullopt;
  Node product = node;
  for (TensorId& id : product.inputs) {
    if (!IsMatrixOfCodes(c.graph->tensor(id))) return std::nullopt;
    if (c.graph->tensor(id).is_constant()) id = AsCodes(c.graph, id);
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

}  // namespace gles_delegate::codes
