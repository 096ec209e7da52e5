// AVERAGE_POOL_2D and MAX_POOL_2D in integers. TFLite's kernels take the mean
// or maximum of the quantized values themselves, regardless of their
// quantization.
#include <any>
#include <cstdint>
#include <memory>
#include <utility>

#include "delegate/ops/pooling/pool_2d.h"
#include "delegate/passes/integer_path/helpers.h"
#include "delegate/passes/integer_path/kernel.h"
#include "quant/affine.h"

namespace gles_delegate::integer_path {
namespace {

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

std::optional<Node> MaxPoolInIntegers(const Node& node,
                                      const KernelContext& c) {
  const Tensor& in = c.graph->tensor(node.inputs[0]);
  const Tensor& out = c.graph->tensor(node.outputs[0]);
  const std::optional<Range> range = RangeOf(node, out);
  if (!range || !in.holds_quantized || in.quantized != out.quantized)
    return std::nullopt;
  Node max = node;
  max.post_ops = {range->AsPostOp()};
  if (std::optional<PostOp> shift = CodeShift(in, out)) {
    max.post_ops.insert(max.post_ops.begin(), *std::move(shift));
  }
  return max;
}

}  // namespace gles_delegate::integer_path
