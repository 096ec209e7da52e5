// BATCH_MATMUL on codes: int8, as TFLite's kernel takes it.
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
  product.post_ops = {Requantize(multipliers, out, quant::Ties::kUp, c.graph),
                      range->AsPostOp()};
  return product;
}

}  // namespace gles_delegate::codes
