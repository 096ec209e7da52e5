// AVERAGE_POOL_2D on codes. (MAX_POOL_2D moves codes.)
#include <any>
#include <cstdint>

#include "delegate/ops/pool_2d.h"
#include "delegate/passes/codes/helpers.h"
#include "delegate/passes/codes/kernel.h"

namespace gles_delegate::codes {
namespace {

// Windows of fewer elements than this: the distance from a tie to the nearest
// other mean, half of one over their number, is then above kMeanSlack and what
// divisions of means up to 255 lose (2^-13).
constexpr int kMaxMeanWindow = 1024;
constexpr float kMeanSlack = 1.0f / 4096;

}  // namespace

std::optional<Node> AveragePoolOnCodes(const Node& node,
                                       const KernelContext& c) {
  const Tensor& in = c.graph->tensor(node.inputs[0]);
  const Tensor& out = c.graph->tensor(node.outputs[0]);
  const auto& window = std::any_cast<const PoolAttributes&>(node.attributes);
  const std::optional<Range> range = RangeOf(node, out);
  // 16-bit temporaries may lose a part of a sum.
  if (!range || c.profile.half || !in.holds_codes || in.codes != out.codes ||
      in.quantization.scale != out.quantization.scale ||
      in.quantization.zero_point != out.quantization.zero_point ||
      int64_t{window.h.size} * window.w.size >= kMaxMeanWindow) {
    return std::nullopt;
  }
  Node mean = node;
  const float zero = static_cast<float>(out.quantization.zero_point[0]);
  mean.post_ops = {{"round_mean", {zero, kMeanSlack, 0, 0}}, range->AsPostOp()};
  return mean;
}

}  // namespace gles_delegate::codes
