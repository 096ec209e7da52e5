// CONV_2D, DEPTHWISE_CONV_2D, TRANSPOSE_CONV, FULLY_CONNECTED: sums of products
// of codes.
#include <algorithm>
#include <any>
#include <cstdint>
#include <utility>

#include "delegate/ops/conv/conv_2d.h"
#include "delegate/passes/integer_path/helpers.h"
#include "delegate/passes/integer_path/int16_helpers.h"
#include "delegate/passes/integer_path/kernel.h"

namespace gles_delegate::integer_path {
namespace {

// Properties of TFLite's kernel of a convolution or matrix product.
struct ProductKernel {
  int data = 0, weights = 1, bias = 2;  // node inputs
  int channels = 0;  // the dimension of the weights that is the output's
  bool scale_by_channel = false;  // of int8 weights
  quant::ProductOp op = quant::ProductOp::kFullyConnected;
};

bool HasZeroPoint(const Quantization& q) {
  return std::any_of(q.zero_point.begin(), q.zero_point.end(),
                     [](int64_t zero) { return zero != 0; });
}

bool SuitWeights(const Tensor& weights, DataType quantized,
                 const ProductKernel& kernel) {
  const Quantization& q = weights.quantization;
  const bool are_quantized = weights.is_constant() || weights.holds_quantized;
  if (!are_quantized || weights.quantized != quantized) return false;
  if (q.per_channel() &&
      (quantized != DataType::kInt8 || q.dimension != kernel.channels)) {
    return false;
  }
  // TFLite takes int8 weights of convolutions for symmetric, whatever they say.
  return quantized == DataType::kUint8 ||
         (kernel.op == quant::ProductOp::kFullyConnected && !q.per_channel()) ||
         !HasZeroPoint(q);
}

std::vector<quant::Multiplier> MultipliersOf(const Tensor& data,
                                             const Tensor& weights,
                                             const Tensor& out,
                                             const ProductKernel& kernel) {
  std::vector<quant::Multiplier> multipliers;
  const bool by_channel =
      kernel.scale_by_channel && out.quantized == DataType::kInt8;
  for (float scale : weights.quantization.scale) {
    multipliers.push_back(quant::MultiplierOf(
        quant::ConvolutionScale(data.quantization.scale[0], scale,
                                out.quantization.scale[0], by_channel)));
  }
  return multipliers;
}

std::vector<float> FloatScalesOf(const Tensor& data, const Tensor& weights,
                                 const Tensor& out) {
  std::vector<float> scales;
  for (float scale : weights.quantization.scale) {
    scales.push_back(quant::FloatScale(data.quantization.scale[0], scale,
                                       out.quantization.scale[0]));
  }
  return scales;
}

// XNNPACK leaves to the built-in kernels: uint8 weights that name another
// dimension than the first, int8 weights with a zero point, weights that are
// computed, a bias without a scale,
// and a transposed convolution whose shape is computed.
bool IsLeftByXnnpack(const Node& node, const ProductKernel& kernel,
                     const Graph& graph, const Tensor& weights,
                     const Tensor* bias) {
  return (kernel.op == quant::ProductOp::kTransposeConv &&
          !graph.tensor(node.inputs[0]).constant.is_borrowed()) ||
         (weights.quantized == DataType::kUint8 &&
          weights.quantization.dimension != 0) ||
         (weights.quantized == DataType::kInt8 &&
          HasZeroPoint(weights.quantization)) ||
         !weights.is_constant() ||
         (bias != nullptr && bias->tflite_index < 0);  // read_node.cc gave it
}

// The post-op that makes quantized values of a sum, as the CPU's kernel does.
std::optional<PostOp> Scaling(const Node& node, const ProductKernel& kernel,
                              TensorId bias_id, const KernelContext& c) {
  const Tensor& data = c.graph->tensor(node.inputs[kernel.data]);
  const Tensor& weights = c.graph->tensor(node.inputs[kernel.weights]);
  const Tensor* const bias =
      bias_id == kNoTensor ? nullptr : &c.graph->tensor(bias_id);
  const Tensor& out = c.graph->tensor(node.outputs[0]);
  const std::vector<quant::Multiplier> multipliers =
      MultipliersOf(data, weights, out, kernel);
  if (!FitSums(multipliers)) return std::nullopt;
  const bool is_uint8 = out.quantized == DataType::kUint8;
  quant::Rounding rounding =
      quant::RoundingOf(c.cpu, c.traits, kernel.op, is_uint8);
  if (rounding == quant::Rounding::kOnceToEven &&
      IsLeftByXnnpack(node, kernel, *c.graph, weights, bias)) {
    rounding = quant::RoundingOf(quant::CpuKernels::kLitert, c.traits,
                                 kernel.op, is_uint8);
  }
  if (rounding == quant::Rounding::kOnceToEven) {
    return RequantizeAsFloat(FloatScalesOf(data, weights, out), out, c.graph);
  }
  if (rounding == quant::Rounding::kTwiceUpInVectors) {
    return RequantizeInVectors(multipliers, out, c.graph);
  }
  return Requantize(multipliers, out, quant::TiesOf(rounding), c.graph);
}

std::optional<Node> ProductByKernel(const Node& node,
                                    const ProductKernel& kernel,
                                    const KernelContext& c) {
  Graph* const graph = c.graph;
  const Tensor& out = graph->tensor(node.outputs[0]);
  const TensorId data = node.inputs[kernel.data];
  const Tensor& weights = graph->tensor(node.inputs[kernel.weights]);
  const std::optional<Range> range = RangeOf(node, out);
  if (!range || !HoldsQuantized(*graph, data) ||
      graph->tensor(data).quantized != out.quantized ||
      !SuitWeights(weights, out.quantized, kernel)) {
    return std::nullopt;
  }
  TensorId bias = kNoTensor;
  if (kernel.bias < static_cast<int>(node.inputs.size())) {
    bias = node.inputs[kernel.bias];
  }
  if (bias != kNoTensor &&
      (!graph->tensor(bias).is_constant() ||
       graph->tensor(bias).quantized != DataType::kInt32)) {
    return std::nullopt;
  }
  Node product = node;
  std::optional<PostOp> scaling = Scaling(node, kernel, bias, c);
  if (!scaling) return std::nullopt;
  if (weights.is_constant()) {
    product.inputs[kernel.weights] =
        AsQuantized(graph, node.inputs[kernel.weights]);
  }
  if (bias != kNoTensor) product.inputs[kernel.bias] = AsQuantized(graph, bias);
  product.post_ops = {*std::move(scaling), range->AsPostOp()};
  return product;
}

// FULLY_CONNECTED from uint8 to int16, whose quantized values are real values
// on the GPU.
std::optional<Node> RowsTo16Bits(const Node& node, const KernelContext& c) {
  const Tensor& out = c.graph->tensor(node.outputs[0]);
  const TensorId data = node.inputs[0];
  const Tensor& weights = c.graph->tensor(node.inputs[1]);
  const TensorId bias = node.inputs.size() > 2 ? node.inputs[2] : kNoTensor;
  const std::optional<PostOp> clamp = Int16Clamp(node.post_ops, out);
  if (!clamp || !HoldsQuantized(*c.graph, data) ||
      c.graph->tensor(data).quantized != DataType::kUint8 ||
      !SuitWeights(weights, DataType::kUint8, ProductKernel()) ||
      (bias != kNoTensor &&
       (!c.graph->tensor(bias).is_constant() ||
        c.graph->tensor(bias).quantized != DataType::kInt32))) {
    return std::nullopt;
  }
  const std::vector<quant::Multiplier> multipliers =
      MultipliersOf(c.graph->tensor(data), weights, out, ProductKernel());
  if (!FitSums(multipliers)) return std::nullopt;
  const float scale = out.quantization.scale[0];
  Node product = node;
  product.post_ops = {
      Requantize(multipliers, out,
                 c.traits.rows_to_16_bits_round_up ? quant::Ties::kUp
                                                   : quant::Ties::kAwayFromZero,
                 c.graph),
      *clamp,
      {"mul", {scale, 0, 0, 0}}};
  if (weights.is_constant()) {
    product.inputs[1] = AsQuantized(c.graph, node.inputs[1]);
  }
  if (bias != kNoTensor) product.inputs[2] = AsQuantized(c.graph, bias);
  return product;
}

}  // namespace

std::optional<Node> Conv2dInIntegers(const Node& node, const KernelContext& c) {
  ProductKernel kernel;
  kernel.scale_by_channel = true;
  const bool grouped =
      std::any_cast<const Conv2dAttributes&>(node.attributes).groups > 1;
  kernel.op =
      grouped ? quant::ProductOp::kGroupedConv2d : quant::ProductOp::kConv2d;
  return ProductByKernel(node, kernel, c);
}

std::optional<Node> DepthwiseConv2dInIntegers(const Node& node,
                                              const KernelContext& c) {
  ProductKernel kernel;
  kernel.scale_by_channel = true;
  kernel.channels = 3;
  kernel.op = quant::ProductOp::kDepthwiseConv2d;
  return ProductByKernel(node, kernel, c);
}

std::optional<Node> FullyConnectedInIntegers(const Node& node,
                                             const KernelContext& c) {
  if (!EndsInSimulator(node)) return std::nullopt;
  if (c.graph->tensor(node.outputs[0]).quantized == DataType::kInt16) {
    return RowsTo16Bits(node, c);
  }
  if (!HoldsQuantized(*c.graph, node.outputs[0])) return std::nullopt;
  return ProductByKernel(node, ProductKernel(), c);
}

std::optional<Node> TransposeConvInIntegers(const Node& node,
                                            const KernelContext& c) {
  ProductKernel kernel;
  kernel.data = 2;
  kernel.bias = 3;
  kernel.scale_by_channel = true;
  kernel.op = quant::ProductOp::kTransposeConv;
  return ProductByKernel(node, kernel, c);
}

}  // namespace gles_delegate::integer_path
