// Makes each depthwise convolution (constant weights, multiplier 1, a window of
// at most 5x5, no post-op but a clamp) the inner stage of the 1x1 convolution
// that is its only reader, which saves a dispatch and the tensor between. Both
// must compute on real values, or both on quantized values; then the first
// one's sums are requantized by the post-ops of integer_path. Limited by
// profile.choices.fused_depthwise_work. Run it after FuseElementwise, which
// adds activations to both.
#include <optional>
#include <utility>

#include "delegate/ops/conv/conv_tile.h"
#include "delegate/ops/conv/convolution.h"
#include "delegate/ops/stages.h"
#include "delegate/passes/all_passes.h"
#include "delegate/passes/fusing.h"

namespace gles_delegate {
namespace {

constexpr int kMaxWindow = 5;

bool IsInnerDepthwise(const Graph& graph, const Node& node,
                      const std::optional<Convolution>& conv) {
  return conv && conv->kind == Convolution::Kind::kDepthwise &&
         conv->multiplier == 1 && conv->constant_weights &&
         conv->window_w <= kMaxWindow && conv->window_h <= kMaxWindow &&
         OnlyClamps(graph, node, conv->dst);
}

bool IsPointwiseAfter(const Node& node, const std::optional<Convolution>& conv,
                      const Convolution& first) {
  return conv && conv->kind == Convolution::Kind::kWindow &&
         conv->src == first.dst && conv->IsPointwise() &&
         conv->constant_weights && conv->integer_path == first.integer_path &&
         conv->input_stage.empty() && !IsOperand(first.dst, node);
}

// The work of a fused pair, in products of texels.
struct Work {
  int64_t pixel = 0;  // one pixel of the depthwise convolution
  int64_t again = 0;  // that pixel, each time that it is computed
  int64_t all = 0;    // all pixels, each time
};

Work WorkOf(const Convolution& first, const Convolution& second) {
  constexpr int kSlicesAtOnce = 16;
  const int times = DivideUp(second.dst_shape.slices(), kSlicesAtOnce);
  Work work;
  work.pixel = int64_t{first.filter.taps} * first.dst_shape.slices();
  work.again = work.pixel * times;
  work.all = work.again * second.pixels();
  return work;
}

// The maximum `work.again` that pays. A fused pair saves a dispatch, which does
// not matter for an output that keeps the device busy much longer, while the
// extra work does. Little work leaves part of the device idle, so recomputing
// pixels is free, unless one pixel takes long (measured on an H200).
int64_t MaxWork(const Work& work, const Convolution& conv,
                const DeviceChoices& choices) {
  constexpr int kLargeOutput = 16;  // of what fills the device
  constexpr int kLargePart = 8;
  constexpr int64_t kLittleWork = 1 << 20;
  constexpr int kLittleTimes = 4;
  const int64_t max = choices.fused_depthwise_work;
  const int64_t texels = int64_t{conv.pixels()} * conv.dst_shape.slices();
  const bool large = choices.split_k_target > 0 &&
                     texels > int64_t{kLargeOutput} * choices.split_k_target;
  if (large) return max / kLargePart;
  const bool little = work.all <= kLittleWork && work.pixel <= max / 2;
  return little ? max * kLittleTimes : max;
}

// Both as one node; nullopt if they cannot be, or it does not pay.
std::optional<Node> FusedDepthwise(const Node& first, const Node& second,
                                   Graph* graph, const DeviceProfile& profile) {
  const auto depthwise = Convolution::Of(*graph, first);
  if (!IsInnerDepthwise(*graph, first, depthwise)) return std::nullopt;
  const auto pointwise = Convolution::Of(*graph, second);
  if (!IsPointwiseAfter(second, pointwise, *depthwise)) return std::nullopt;
  const Work work = WorkOf(*depthwise, *pointwise);
  if (work.again > MaxWork(work, *pointwise, profile.choices)) {
    return std::nullopt;
  }
  Node fused = second;
  fused.inputs[0] = depthwise->src;
  AddConvolution(kInnerStage, first, depthwise->weights, &fused);
  return CanPlanAsPair(fused, graph, profile) ? std::optional(std::move(fused))
                                              : std::nullopt;
}

}  // namespace

void FuseDepthwise(Graph* graph, const DeviceProfile& profile) {
  if (profile.choices.fused_depthwise_work == 0) return;
  FuseIntoReaders(graph, [&](const Node& first, const Node& second) {
    return FusedDepthwise(first, second, graph, profile);
  });
}

}  // namespace gles_delegate
