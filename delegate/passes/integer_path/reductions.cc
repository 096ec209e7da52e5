// MEAN, SUM, REDUCE_PROD, REDUCE_MAX, REDUCE_MIN in integers.
#include <any>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

#include "delegate/ops/reduction/reduction.h"
#include "delegate/passes/integer_path/helpers.h"
#include "delegate/passes/integer_path/kernel.h"
#include "quant/affine.h"
#include "quant/code_means.h"

namespace gles_delegate::integer_path {
namespace {

quant::CodeQuantization QuantizationOf(const Tensor& tensor) {
  return {tensor.quantization.scale[0],
          static_cast<int32_t>(tensor.quantization.zero_point[0])};
}

// The simulator is the node's only post-op, and its source has quantized values
// of the output's type.
bool Reduces(const Node& node, const Graph& graph) {
  return node.post_ops.size() == 1 && HoldsQuantized(graph, node.inputs[0]) &&
         graph.tensor(node.inputs[0]).quantized ==
             graph.tensor(node.outputs[0]).quantized;
}

// Number of inputs per output; 0 if sums may exceed 32 bits.
int32_t CountOf(const Tensor& in, const Tensor& out) {
  const int64_t count = in.shape.elements() / out.shape.elements();
  return count <= std::numeric_limits<int32_t>::max() / 256
             ? static_cast<int32_t>(count)
             : 0;
}

quant::Reducing ReducingOf(const Node& node, const Graph& graph) {
  const Tensor& in = graph.tensor(node.inputs[0]);
  const Tensor& out = graph.tensor(node.outputs[0]);
  const auto& a = std::any_cast<const ReduceAttributes&>(node.attributes);
  quant::Reducing reducing;
  reducing.in = QuantizationOf(in);
  reducing.out = QuantizationOf(out);
  reducing.is_unsigned = out.quantized == DataType::kUint8;
  reducing.over_plane = a.over_plane;
  reducing.over_plane_by_any_name = a.over_plane_by_any_name;
  reducing.count = CountOf(in, out);
  return reducing;
}

CodeSums SumsOf(const Tensor& in, const Tensor& out, CodeSums::Result result) {
  CodeSums sums;
  sums.result = result;
  sums.low = quant::RangeOf(1, out.quantized == DataType::kUint8).low;
  sums.zero_in = QuantizationOf(in).zero_point;
  sums.zero_out = QuantizationOf(out).zero_point;
  return sums;
}

Node WithSums(const Node& node, CodeSums sums) {
  Node reduced = node;
  reduced.post_ops.clear();
  auto attributes = std::any_cast<ReduceAttributes>(node.attributes);
  attributes.quantized = std::make_shared<const CodeSums>(std::move(sums));
  reduced.attributes = std::move(attributes);
  return reduced;
}

}  // namespace

std::optional<Node> MeanInIntegers(const Node& node, const KernelContext& c) {
  if (!Reduces(node, *c.graph)) return std::nullopt;
  const quant::Reducing reducing = ReducingOf(node, *c.graph);
  if (reducing.count == 0) return std::nullopt;
  const quant::MeanOfQuantized mean = quant::MeanOf(reducing, c.cpu);
  if (!mean.FitsSums()) return std::nullopt;
  const Tensor& out = c.graph->tensor(node.outputs[0]);
  CodeSums sums =
      SumsOf(c.graph->tensor(node.inputs[0]), out, CodeSums::Result::kSteps);
  sums.steps = quant::StepsOf(mean);
  const auto last = quant::MeanOfLastChannels(reducing, c.cpu);
  if (last && out.shape.c % quant::kMeanBlock != 0) {
    sums.last_steps = quant::StepsOf(*last);
    sums.last_channels = out.shape.c - out.shape.c % quant::kMeanBlock;
  }
  return WithSums(node, std::move(sums));
}

std::optional<Node> SumInIntegers(const Node& node, const KernelContext& c) {
  if (!Reduces(node, *c.graph)) return std::nullopt;
  const Tensor& in = c.graph->tensor(node.inputs[0]);
  const Tensor& out = c.graph->tensor(node.outputs[0]);
  const quant::Reducing reducing = ReducingOf(node, *c.graph);
  if (reducing.count == 0) return std::nullopt;
  if (const auto sum = quant::SumOf(reducing, c.cpu)) {
    if (!sum->FitsSums()) return std::nullopt;
    CodeSums sums = SumsOf(in, out, CodeSums::Result::kSteps);
    sums.steps = quant::StepsOf(*sum);
    return WithSums(node, std::move(sums));
  }
  const quant::LowBits bits = quant::LowBitsOfSum(reducing, c.cpu);
  CodeSums sums = SumsOf(in, out, CodeSums::Result::kScaled);
  sums.first = reducing.count * sums.zero_in;
  sums.added_zero = bits.zero_point;
  sums.rescales = bits.rescales;
  sums.scale = bits.scale;
  sums.bias = bits.bias;
  sums.fused = bits.fused;
  return WithSums(node, std::move(sums));
}

std::optional<Node> ProductInIntegers(const Node& node,
                                      const KernelContext& c) {
  if (!Reduces(node, *c.graph)) return std::nullopt;
  const Tensor& in = c.graph->tensor(node.inputs[0]);
  const Tensor& out = c.graph->tensor(node.outputs[0]);
  const std::optional<Range> range = RangeOf(node, out);
  // TFLite has no uint8 kernel.
  if (!range || out.quantized != DataType::kInt8) return std::nullopt;
  CodeSums product;
  product.result = CodeSums::Result::kProduct;
  product.step = quant::ProductStepOf(
      in.quantization.scale[0], out.quantization.scale[0],
      static_cast<int>(in.shape.elements() / out.shape.elements()));
  if (product.step.right < 1 || product.step.right > 62) return std::nullopt;
  Node reduced = WithSums(node, std::move(product));
  reduced.post_ops = {range->AsPostOp()};
  return reduced;
}

std::optional<Node> ExtremeInIntegers(const Node& node,
                                      const KernelContext& c) {
  if (!Reduces(node, *c.graph) ||
      !SameQuantized(c.graph->tensor(node.inputs[0]),
                     c.graph->tensor(node.outputs[0]))) {
    return std::nullopt;
  }
  Node extreme = node;
  extreme.post_ops.clear();
  return extreme;
}

}  // namespace gles_delegate::integer_path
