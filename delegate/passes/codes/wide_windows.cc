// int16 ops over several positions: AVERAGE_POOL_2D, MEAN, SUM, SOFTMAX,
// RESIZE_BILINEAR.
#include <algorithm>
#include <any>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "delegate/ops/image/resize.h"
#include "delegate/ops/pooling/pool_2d.h"
#include "delegate/ops/reduction/reduce.h"
#include "delegate/ops/reduction/softmax.h"
#include "delegate/passes/codes/helpers.h"
#include "delegate/passes/codes/wide_helpers.h"
#include "delegate/passes/codes/wide_kernels.h"
#include "quant/code_means.h"
#include "quant/fixed_point.h"
#include "quant/sixteen_bit.h"

namespace gles_delegate::codes {
namespace {

// Sums of fewer values fit 32 bits.
constexpr int64_t kMaxSummed = 1 << 16;

// A node that quantizes `node`'s input, and `node` with attributes for
// quantized output, then `clamp`.
template <typename Attributes>
std::vector<Node> WindowOfCodes(const Node& node, Attributes attributes,
                                std::optional<PostOp> clamp, Graph* graph) {
  const TensorId source = node.inputs[0];
  const float scale = ScaleOf(*graph, source);
  const TensorId codes = AddLike(graph->tensor(source), "codes", graph);
  Node last = node;
  last.on_codes = true;
  last.inputs[0] = codes;
  last.attributes = std::move(attributes);
  last.post_ops.clear();
  if (clamp) last.post_ops.push_back(*std::move(clamp));
  last.post_ops.push_back({"mul", {ScaleOf(*graph, node.outputs[0]), 0, 0, 0}});
  return {WideElementwise(node, source, codes, {{"code_of", {scale, 0, 0, 0}}},
                          *graph),
          std::move(last)};
}

// The node reads int16, and its post-ops are at most an activation and the
// simulator.
std::optional<PostOp> ClampOf(const Node& node, const Graph& graph) {
  if (!IsSixteenBit(graph.tensor(node.inputs[0]))) return std::nullopt;
  return WideClamp(node.post_ops, graph.tensor(node.outputs[0]));
}

}  // namespace

std::vector<Node> WideAveragePool(const Node& node, const KernelContext& c) {
  PoolAttributes pool = std::any_cast<const PoolAttributes&>(node.attributes);
  const std::optional<PostOp> clamp = ClampOf(node, *c.graph);
  if (!clamp || int64_t{pool.h.size} * pool.w.size >= kMaxSummed) return {};
  CodeSums sums;
  sums.result = CodeSums::Result::kMean;
  pool.codes = std::make_shared<const CodeSums>(std::move(sums));
  return WindowOfCodes(node, std::move(pool), clamp, c.graph);
}

std::vector<Node> WideMean(const Node& node, const KernelContext& c) {
  const std::optional<PostOp> clamp = ClampOf(node, *c.graph);
  const int64_t count = c.graph->tensor(node.inputs[0]).shape.elements() /
                        c.graph->tensor(node.outputs[0]).shape.elements();
  if (!clamp || count >= kMaxSummed) return {};
  auto reduce = std::any_cast<ReduceAttributes>(node.attributes);
  const float from = ScaleOf(*c.graph, node.inputs[0]);
  const float to = ScaleOf(*c.graph, node.outputs[0]);
  CodeSums sums;
  sums.count = static_cast<int>(count);
  // A sum is below 2^31; TFLite loses bits that it shifts beyond 32.
  const auto fits = [count](const quant::Multiplier& m) {
    return count << (15 + std::max(m.shift, 0)) <= INT32_MAX;
  };
  if (c.cpu != quant::CpuKernels::kTflite) {
    sums.result = CodeSums::Result::kRescaled;
    sums.multiplier = quant::MeanMultiplierOf(from, to, sums.count);
    sums.count = 1;  // of which the multiplier has it all
    if (!fits(sums.multiplier)) return {};
  } else if (reduce.over_plane) {
    sums.result = CodeSums::Result::kRescaled;
    sums.multiplier = quant::MultiplierOf(static_cast<double>(from) / to);
    if (!fits(sums.multiplier)) return {};
  } else if (from == to) {
    sums.result = CodeSums::Result::kTruncated;
  } else {
    sums.result = CodeSums::Result::kFloatMean;
    sums.scale = from / to;
  }
  reduce.codes = std::make_shared<const CodeSums>(std::move(sums));
  return WindowOfCodes(node, std::move(reduce), clamp, c.graph);
}

std::vector<Node> WideSum(const Node& node, const KernelContext& c) {
  const std::optional<PostOp> clamp = ClampOf(node, *c.graph);
  const int64_t count = c.graph->tensor(node.inputs[0]).shape.elements() /
                        c.graph->tensor(node.outputs[0]).shape.elements();
  if (!clamp || count >= kMaxSummed) return {};
  const float from = ScaleOf(*c.graph, node.inputs[0]);
  const float to = ScaleOf(*c.graph, node.outputs[0]);
  CodeSums sums;
  sums.result = CodeSums::Result::kScaled;
  sums.low = -32768;
  if (!c.traits.wide_sums_saturate) {
    if (from != to) return {};  // which TFLite's kernel refuses
    sums.low_bits = 0xffff;
  } else {
    sums.low_bits = -1;
    sums.rescales = true;
    sums.scale = from / to;
  }
  auto reduce = std::any_cast<ReduceAttributes>(node.attributes);
  reduce.codes = std::make_shared<const CodeSums>(std::move(sums));
  return WindowOfCodes(node, std::move(reduce), clamp, c.graph);
}

std::vector<Node> WideProductOfAxes(const Node& node, const KernelContext& c) {
  const std::optional<PostOp> clamp = ClampOf(node, *c.graph);
  if (!clamp) return {};
  const int64_t count = c.graph->tensor(node.inputs[0]).shape.elements() /
                        c.graph->tensor(node.outputs[0]).shape.elements();
  auto reduce = std::any_cast<ReduceAttributes>(node.attributes);
  CodeSums product;
  product.result = CodeSums::Result::kProduct;
  product.step = quant::ProductStepOf(ScaleOf(*c.graph, node.inputs[0]),
                                      ScaleOf(*c.graph, node.outputs[0]),
                                      static_cast<int>(count));
  if (product.step.right < 1 || product.step.right > 62) return {};
  reduce.codes = std::make_shared<const CodeSums>(std::move(product));
  return WindowOfCodes(node, std::move(reduce), clamp, c.graph);
}

std::vector<Node> WideSoftmax(const Node& node, const KernelContext& c) {
  auto a = std::any_cast<SoftmaxAttributes>(node.attributes);
  const Tensor& out = c.graph->tensor(node.outputs[0]);
  if (!ClampOf(node, *c.graph) || node.post_ops.size() != 1 ||
      !quant::IsScaleOfFractions(out.quantization.scale[0]) ||
      out.shape.c >= kMaxSummed) {
    return {};
  }
  std::optional<quant::SoftmaxOfSixteenBits> sixteen =
      quant::SoftmaxOf(ScaleOf(*c.graph, node.inputs[0]), a.beta);
  if (!sixteen) return {};
  a.sixteen =
      std::make_shared<const quant::SoftmaxOfSixteenBits>(*std::move(sixteen));
  return WindowOfCodes(node, std::move(a), std::nullopt, c.graph);
}

std::vector<Node> WideResizeBilinear(const Node& node, const KernelContext& c) {
  if (!ClampOf(node, *c.graph) || node.post_ops.size() != 1) return {};
  ResizeOfCodes resize;
  resize.resize = std::any_cast<const ResizeAttributes&>(node.attributes);
  resize.is_sixteen_bit = true;
  return WindowOfCodes(node, resize, std::nullopt, c.graph);
}

}  // namespace gles_delegate::codes
