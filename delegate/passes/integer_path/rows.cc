// SOFTMAX, LOG_SOFTMAX, L2_NORMALIZATION in integers: functions of all channels
// of a pixel.
#include <any>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

#include "delegate/ops/reduction/normalizations.h"
#include "delegate/ops/reduction/softmax.h"
#include "delegate/passes/integer_path/helpers.h"
#include "delegate/passes/integer_path/kernel.h"

namespace gles_delegate::integer_path {
namespace {

// The simulator is the node's only post-op, its source has quantized values of
// the output's type, and the output has TFLite's required scale, within `part`
// of it, and zero point.
bool Suits(const Node& node, const Graph& graph, float scale, float part,
           int64_t signed_zero, int64_t unsigned_zero) {
  const Tensor& out = graph.tensor(node.outputs[0]);
  const bool is_unsigned = out.quantized == DataType::kUint8;
  return node.post_ops.size() == 1 && HoldsQuantized(graph, node.inputs[0]) &&
         graph.tensor(node.inputs[0]).quantized == out.quantized &&
         std::abs(out.quantization.scale[0] - scale) <= part * scale &&
         out.quantization.zero_point[0] ==
             (is_unsigned ? unsigned_zero : signed_zero);
}

Node WithQuantized(const Node& node, const SoftmaxAttributes& a,
                   const Graph& graph) {
  const Tensor& in = graph.tensor(node.inputs[0]);
  const Tensor& out = graph.tensor(node.outputs[0]);
  SoftmaxOfQuantized quantized;
  quantized.in_scale = in.quantization.scale[0];
  quantized.out_scale = out.quantization.scale[0];
  quantized.zero_in = static_cast<int>(in.quantization.zero_point[0]);
  quantized.zero_out = static_cast<int>(out.quantization.zero_point[0]);
  quantized.is_unsigned = out.quantized == DataType::kUint8;
  // By the process's own expf, which the CPU's kernel calls too.
  const float step = -quantized.in_scale * a.beta;
  for (int d = 0; d < 256; ++d) {
    quantized.exps.push_back(std::exp(step * static_cast<float>(d)));
  }
  SoftmaxAttributes integer_path = a;
  integer_path.quantized =
      std::make_shared<const SoftmaxOfQuantized>(std::move(quantized));
  Node softmax = node;
  softmax.post_ops.clear();
  softmax.attributes = std::move(integer_path);
  return softmax;
}

}  // namespace

std::optional<Node> SoftmaxInIntegers(const Node& node,
                                      const KernelContext& c) {
  const auto& a = std::any_cast<const SoftmaxAttributes&>(node.attributes);
  // A negative beta has exponentials past 1, whose sum may be infinite.
  if (!Suits(node, *c.graph, 1.0f / 256, 0.001f, -128, 0) || !(a.beta >= 0)) {
    return std::nullopt;
  }
  return WithQuantized(node, a, *c.graph);
}

std::optional<Node> LogSoftmaxInIntegers(const Node& node,
                                         const KernelContext& c) {
  const auto& a = std::any_cast<const SoftmaxAttributes&>(node.attributes);
  if (!Suits(node, *c.graph, 16.0f / 256, 0, 127, 255)) return std::nullopt;
  return WithQuantized(node, a, *c.graph);
}

std::optional<Node> L2NormalizationInIntegers(const Node& node,
                                              const KernelContext& c) {
  const int64_t channels = c.graph->tensor(node.outputs[0]).shape.c;
  if (!Suits(node, *c.graph, 1.0f / 128, 0, 0, 128) ||
      channels * 255 * 255 > std::numeric_limits<int32_t>::max()) {
    return std::nullopt;
  }
  const Tensor& out = c.graph->tensor(node.outputs[0]);
  Node normalized = node;
  normalized.post_ops.clear();
  normalized.attributes = L2NormalizationOfQuantized{
      static_cast<int>(out.quantization.zero_point[0]),
      out.quantized == DataType::kUint8};
  return normalized;
}

}  // namespace gles_delegate::integer_path
