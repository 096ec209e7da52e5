// CONV_2D, DEPTHWISE_CONV_2D, TRANSPOSE_CONV, FULLY_CONNECTED: sums of products
// of codes with constant weights.
#include <algorithm>
#include <any>
#include <cstdint>
#include <utility>

#include "delegate/ops/conv_2d.h"
#include "delegate/passes/codes/helpers.h"
#include "delegate/passes/codes/kernel.h"

namespace gles_delegate::codes {
namespace {

// What TFLite's kernel of a convolution or matrix product is like.
struct ProductKernel {
  int data = 0, weights = 1, bias = 2;  // node inputs
  int channels = 0;  // the dimension of the weights that is the output's
  bool scale_by_channel = false;  // of int8 weights
  quant::Ties ties = quant::Ties::kUp;
};

bool SuitWeights(const Tensor& weights, DataType codes,
                 const ProductKernel& kernel) {
  const Quantization& q = weights.quantization;
  if (!weights.is_constant() || weights.codes != codes) return false;
  if (q.per_channel() &&
      (codes != DataType::kInt8 || q.dimension != kernel.channels)) {
    return false;
  }
  // TFLite takes int8 weights for symmetric, whatever they say.
  return codes == DataType::kUint8 ||
         std::all_of(q.zero_point.begin(), q.zero_point.end(),
                     [](int64_t zero) { return zero == 0; });
}

std::vector<quant::Multiplier> MultipliersOf(const Tensor& data,
                                             const Tensor& weights,
                                             const Tensor& out,
                                             const ProductKernel& kernel) {
  std::vector<quant::Multiplier> multipliers;
  const bool by_channel =
      kernel.scale_by_channel && out.codes == DataType::kInt8;
  for (float scale : weights.quantization.scale) {
    multipliers.push_back(quant::MultiplierOf(
        quant::ConvolutionScale(data.quantization.scale[0], scale,
                                out.quantization.scale[0], by_channel)));
  }
  return multipliers;
}

std::optional<Node> Product(const Node& node, const ProductKernel& kernel,
                            Graph* graph) {
  const Tensor& out = graph->tensor(node.outputs[0]);
  const TensorId data = node.inputs[kernel.data];
  const Tensor& weights = graph->tensor(node.inputs[kernel.weights]);
  const std::optional<Range> range = RangeOf(node, out);
  if (!range || !HoldsCodes(*graph, data) ||
      graph->tensor(data).codes != out.codes ||
      !SuitWeights(weights, out.codes, kernel)) {
    return std::nullopt;
  }
  TensorId bias = kNoTensor;
  if (kernel.bias < static_cast<int>(node.inputs.size())) {
    bias = node.inputs[kernel.bias];
  }
  if (bias != kNoTensor && (!graph->tensor(bias).is_constant() ||
                            graph->tensor(bias).codes != DataType::kInt32)) {
    return std::nullopt;
  }
  Node product = node;
  const std::vector<quant::Multiplier> multipliers =
      MultipliersOf(graph->tensor(data), weights, out, kernel);
  if (!FitSums(multipliers)) return std::nullopt;
  product.inputs[kernel.weights] = AsCodes(graph, node.inputs[kernel.weights]);
  if (bias != kNoTensor) product.inputs[kernel.bias] = AsCodes(graph, bias);
  product.post_ops = {Requantize(multipliers, out, kernel.ties, graph),
                      range->AsPostOp()};
  return product;
}

}  // namespace

std::optional<Node> Conv2dOnCodes(const Node& node, const KernelContext& c) {
  ProductKernel kernel;
  kernel.scale_by_channel = true;
  // Grouped convolutions run on TFLite's reference kernel.
  if (std::any_cast<const Conv2dAttributes&>(node.attributes).groups > 1) {
    kernel.ties = quant::Ties::kAwayFromZero;
  }
  return Product(node, kernel, c.graph);
}

std::optional<Node> DepthwiseConv2dOnCodes(const Node& node,
                                           const KernelContext& c) {
  ProductKernel kernel;
  kernel.scale_by_channel = true;
  kernel.channels = 3;
  kernel.ties = quant::Ties::kAwayFromZero;
  return Product(node, kernel, c.graph);
}

std::optional<Node> FullyConnectedOnCodes(const Node& node,
                                          const KernelContext& c) {
  return Product(node, ProductKernel(), c.graph);
}

std::optional<Node> TransposeConvOnCodes(const Node& node,
                                         const KernelContext& c) {
  ProductKernel kernel;
  kernel.data = 2;
  kernel.bias = 3;
  kernel.scale_by_channel = true;
  kernel.ties = quant::Ties::kAwayFromZero;
  return Product(node, kernel, c.graph);
}

}  // namespace gles_delegate::codes
