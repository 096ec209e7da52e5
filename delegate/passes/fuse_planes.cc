// Makes each 1x1 convolution the inner stage of the depthwise convolution
// (multiplier 1) that is its only reader, if both have constant weights and
// whole planes fit the shared memory of a work group. Saves a dispatch and a
// tensor without computing anything twice. The first may have a clamp as its
// only post-op, or requantization; both compute on real values, or both on
// quantized values.
//
// A work group reads the whole input, so pixels x input slices may be at most
// profile.choices.fused_plane_work. Run it after FuseDepthwise, which takes
// depthwise convolutions with large planes and few channels.
#include <optional>
#include <utility>

#include "delegate/ops/conv/convolution.h"
#include "delegate/ops/stages.h"
#include "delegate/passes/all_passes.h"
#include "delegate/passes/fusing.h"

namespace gles_delegate {
namespace {

// A convolution of pixels that another one may follow, small enough to pay.
bool IsFirst(const std::optional<Convolution>& conv, const DeviceChoices& c) {
  return conv && conv->kind == Convolution::Kind::kWindow &&
         conv->IsPointwise() && conv->constant_weights &&
         conv->input_stage.empty() &&
         int64_t{conv->src_shape.h} * conv->src_shape.w *
                 conv->src_shape.slices() <=
             c.fused_plane_work;
}

bool IsDepthwiseAfter(const Node& node, const std::optional<Convolution>& conv,
                      const Convolution& first) {
  return conv && conv->kind == Convolution::Kind::kDepthwise &&
         conv->src == first.dst && conv->multiplier == 1 &&
         conv->constant_weights && conv->integer_path == first.integer_path &&
         !IsOperand(first.dst, node);
}

// Both as one node; nullopt if they cannot be, or it does not pay.
std::optional<Node> FusedPlanes(const Node& first, const Node& second,
                                Graph* graph, const DeviceProfile& profile) {
  const auto pointwise = Convolution::Of(*graph, first);
  if (!IsFirst(pointwise, profile.choices) ||
      !OnlyClamps(*graph, first, pointwise->dst)) {
    return std::nullopt;
  }
  const auto depthwise = Convolution::Of(*graph, second);
  if (!IsDepthwiseAfter(second, depthwise, *pointwise)) return std::nullopt;
  Node fused = second;
  fused.inputs[0] = pointwise->src;
  AddConvolution(kInnerStage, first, pointwise->weights, &fused);
  return CanPlanAsPair(fused, graph, profile) ? std::optional(std::move(fused))
                                              : std::nullopt;
}

}  // namespace

void FusePlanes(Graph* graph, const DeviceProfile& profile) {
  if (profile.choices.fused_plane_work == 0) return;
  FuseIntoReaders(graph, [&](const Node& first, const Node& second) {
    return FusedPlanes(first, second, graph, profile);
  });
}

}  // namespace gles_delegate
