#include "delegate/ops/conv/conv_strategies.h"

namespace gles_delegate {
namespace {

// The order determines precedence.
constexpr const ConvStrategy* kStrategies[] = {
    // CONV_2D, and products of rows that are pixels.
    &kConvUnrolled, &kConvWinograd, &kConvShared, &kConvSplitK, &kConv1x1,
    // Few rows, or others.
    &kGemvBySlices, &kGemvByLanes,
    // The general strategies, after those for special cases.
    &kConvDirect, &kDepthwiseRows, &kDepthwiseTiled, &kDepthwiseDirect,
    &kTransposeUnrolled, &kTransposeDirect, &kPointwiseDepthwise};

}  // namespace

absl::Span<const ConvStrategy* const> ConvStrategies() { return kStrategies; }

const ConvStrategy* ChooseConvStrategy(const Convolution& conv,
                                       const Planner& planner) {
  for (const ConvStrategy* strategy : kStrategies) {
    if (conv.next.IsThere() && !strategy->takes_next) continue;
    if ((conv.norm.is_there || conv.gate.IsThere()) &&
        !strategy->takes_row_stages) {
      continue;
    }
    if (strategy->applies(conv, planner)) return strategy;
  }
  return nullptr;
}

absl::Status PlanConvolution(const Convolution& conv, Planner* planner) {
  const ConvStrategy* strategy = ChooseConvStrategy(conv, *planner);
  if (strategy == nullptr) {
    return absl::ResourceExhaustedError(
        "no tile of the fused convolutions fits the device");
  }
  strategy->plan(conv, planner);
  return absl::OkStatus();
}

absl::Status PlanConvNode(const Node& node, Planner* planner) {
  auto conv = Convolution::Of(planner->graph(), node);
  if (!conv) return absl::InternalError("the node is no convolution");
  conv->half_arithmetic = planner->MultipliesHalves(conv->src, conv->dst);
  return PlanConvolution(*conv, planner);
}

}  // namespace gles_delegate
