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
#include "delegate/ops/reduction/reduction.h"
#include "delegate/ops/reduction/softmax.h"
#include "delegate/passes/integer_path/helpers.h"
#include "delegate/passes/integer_path/int16_helpers.h"
#include "delegate/passes/integer_path/kernel.h"
#include "quant/affine.h"
#include "quant/code_means.h"
#include "quant/code_table.h"
#include "quant/cpu_kernels.h"
#include "quant/fixed_point.h"

namespace gles_delegate::integer_path {
namespace {

// AVERAGE_POOL_2D and MAX_POOL_2D in integers. TFLite's kernels take the mean
// or maximum of the quantized values themselves, regardless of their
// quantization.

// Windows have fewer elements than this. The distance from a tie to the nearest
// other mean, half of 1 / elements, then exceeds kMeanSlack and the error of
// divisions for means up to 255 (2^-13).
constexpr int kMaxMeanWindow = 1024;
constexpr float kMeanSlack = 1.0f / 4096;
// Sums of windows with this many elements fit 32 bits.
constexpr int64_t kMaxSummedWindow = 1 << 22;

}  // namespace

std::optional<Node> AveragePoolInIntegers(const Node& node,
                                          const KernelContext& c) {
  const Tensor& in = c.graph->tensor(node.inputs[0]);
  const Tensor& out = c.graph->tensor(node.outputs[0]);
  const auto& pool = std::any_cast<const PoolAttributes&>(node.attributes);
  const std::optional<Range> range = RangeOf(node, out);
  const int64_t window = int64_t{pool.h.size} * pool.w.size;
  if (!range || !in.holds_quantized || in.quantized != out.quantized ||
      window > kMaxSummedWindow) {
    return std::nullopt;
  }
  Node mean = node;
  const int zero_in = static_cast<int>(in.quantization.zero_point[0]);
  const int zero_out = static_cast<int>(out.quantization.zero_point[0]);
  mean.post_ops = {range->AsPostOp()};
  if (window < kMaxMeanWindow && SameQuantized(in, out)) {
    mean.post_ops.insert(
        mean.post_ops.begin(),
        {"round_mean", {static_cast<float>(zero_out), kMeanSlack, 0, 0}});
    return mean;
  }
  CodeSums sums;
  sums.result = CodeSums::Result::kMean;
  sums.low = quant::RangeOf(1, out.quantized == DataType::kUint8).low;
  sums.zero_in = zero_in;
  sums.zero_out = zero_out;
  PoolAttributes attributes = pool;
  attributes.quantized = std::make_shared<const CodeSums>(std::move(sums));
  mean.attributes = std::move(attributes);
  return mean;
}

// RESIZE_BILINEAR in integers. TFLite's kernels interpolate the quantized
// values themselves, regardless of their quantization.

std::optional<Node> ResizeBilinearInIntegers(const Node& node,
                                             const KernelContext& c) {
  const Tensor& in = c.graph->tensor(node.inputs[0]);
  const Tensor& out = c.graph->tensor(node.outputs[0]);
  if (node.post_ops.size() != 1 || !in.holds_quantized ||
      in.quantized != out.quantized) {
    return std::nullopt;
  }
  Node resized = node;
  resized.post_ops.clear();
  resized.attributes =
      ResizeOfQuantized{std::any_cast<const ResizeAttributes&>(node.attributes),
                        static_cast<int>(in.quantization.zero_point[0]),
                        static_cast<int>(out.quantization.zero_point[0]),
                        out.quantized == DataType::kUint8,
                        /*is_int16=*/false,
                        /*by_xnnpack=*/c.cpu == quant::CpuKernels::kXnnpack &&
                            SameQuantized(in, out)};
  return resized;
}

namespace {

// Sums of fewer values fit 32 bits.
constexpr int64_t kMaxSummed = 1 << 16;

// A node that quantizes `node`'s input, and `node` with attributes for
// quantized output, then `clamp`.
template <typename Attributes>
std::vector<Node> WindowOfQuantized(const Node& node, Attributes attributes,
                                    std::optional<PostOp> clamp, Graph* graph) {
  const TensorId source = node.inputs[0];
  const float scale = ScaleOf(*graph, source);
  const TensorId quantized = AddLike(graph->tensor(source), "quantized", graph);
  Node last = node;
  last.integer_path = true;
  last.inputs[0] = quantized;
  last.attributes = std::move(attributes);
  last.post_ops.clear();
  if (clamp) last.post_ops.push_back(*std::move(clamp));
  last.post_ops.push_back({"mul", {ScaleOf(*graph, node.outputs[0]), 0, 0, 0}});
  return {Int16Elementwise(node, source, quantized,
                           {{"code_of", {scale, 0, 0, 0}}}, *graph),
          std::move(last)};
}

// The node reads int16, and its post-ops are at most an activation and the
// simulator.
std::optional<PostOp> ClampOf(const Node& node, const Graph& graph) {
  if (!IsInt16(graph.tensor(node.inputs[0]))) return std::nullopt;
  return Int16Clamp(node.post_ops, graph.tensor(node.outputs[0]));
}

}  // namespace

std::vector<Node> Int16AveragePool(const Node& node, const KernelContext& c) {
  PoolAttributes pool = std::any_cast<const PoolAttributes&>(node.attributes);
  const std::optional<PostOp> clamp = ClampOf(node, *c.graph);
  if (!clamp || int64_t{pool.h.size} * pool.w.size >= kMaxSummed) return {};
  CodeSums sums;
  sums.result = CodeSums::Result::kMean;
  pool.quantized = std::make_shared<const CodeSums>(std::move(sums));
  return WindowOfQuantized(node, std::move(pool), clamp, c.graph);
}

std::vector<Node> Int16Mean(const Node& node, const KernelContext& c) {
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
  if (c.cpu != quant::CpuKernels::kTflite &&
      c.cpu != quant::CpuKernels::kTfliteArm) {
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
  reduce.quantized = std::make_shared<const CodeSums>(std::move(sums));
  return WindowOfQuantized(node, std::move(reduce), clamp, c.graph);
}

std::vector<Node> Int16Sum(const Node& node, const KernelContext& c) {
  const std::optional<PostOp> clamp = ClampOf(node, *c.graph);
  const int64_t count = c.graph->tensor(node.inputs[0]).shape.elements() /
                        c.graph->tensor(node.outputs[0]).shape.elements();
  if (!clamp || count >= kMaxSummed) return {};
  const float from = ScaleOf(*c.graph, node.inputs[0]);
  const float to = ScaleOf(*c.graph, node.outputs[0]);
  CodeSums sums;
  sums.result = CodeSums::Result::kScaled;
  sums.low = -32768;
  if (!c.traits.int16_sums_saturate) {
    if (from != to) return {};  // which TFLite's kernel refuses
    sums.low_bits = 0xffff;
  } else {
    sums.low_bits = -1;
    sums.rescales = true;
    sums.scale = from / to;
  }
  auto reduce = std::any_cast<ReduceAttributes>(node.attributes);
  reduce.quantized = std::make_shared<const CodeSums>(std::move(sums));
  return WindowOfQuantized(node, std::move(reduce), clamp, c.graph);
}

std::vector<Node> Int16ProductOfAxes(const Node& node, const KernelContext& c) {
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
  reduce.quantized = std::make_shared<const CodeSums>(std::move(product));
  return WindowOfQuantized(node, std::move(reduce), clamp, c.graph);
}

std::vector<Node> Int16Softmax(const Node& node, const KernelContext& c) {
  auto a = std::any_cast<SoftmaxAttributes>(node.attributes);
  const Tensor& out = c.graph->tensor(node.outputs[0]);
  if (!ClampOf(node, *c.graph) || node.post_ops.size() != 1 ||
      !quant::IsScaleOfFractions(out.quantization.scale[0]) ||
      out.shape.c >= kMaxSummed) {
    return {};
  }
  std::optional<quant::SoftmaxOfInt16> int16 =
      quant::SoftmaxOf(ScaleOf(*c.graph, node.inputs[0]), a.beta);
  if (!int16) return {};
  a.int16 = std::make_shared<const quant::SoftmaxOfInt16>(*std::move(int16));
  return WindowOfQuantized(node, std::move(a), std::nullopt, c.graph);
}

std::vector<Node> Int16ResizeBilinear(const Node& node,
                                      const KernelContext& c) {
  if (!ClampOf(node, *c.graph) || node.post_ops.size() != 1) return {};
  ResizeOfQuantized resize;
  resize.resize = std::any_cast<const ResizeAttributes&>(node.attributes);
  resize.is_int16 = true;
  return WindowOfQuantized(node, resize, std::nullopt, c.graph);
}

}  // namespace gles_delegate::integer_path
