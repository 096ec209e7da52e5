#include "delegate/ops/conv/depthwise_pointwise.h"

#include <utility>

#include "delegate/ops/conv/conv_shared.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

const OpDefinition& DepthwisePointwise() {
  static const OpDefinition* const op = [] {
    auto* made = new OpDefinition;
    made->name = "DEPTHWISE_CONV_2D+CONV_2D";
    made->plan = PlanDepthwisePointwise;
    return made;
  }();
  return *op;
}

absl::Status PlanDepthwisePointwise(const Node& node, Planner* planner) {
  const auto& a =
      std::any_cast<const DepthwisePointwiseAttributes&>(node.attributes);
  const Shape& window = planner->tensor(node.inputs[1]).shape;
  const FusedDepthwise depthwise = {
      a.depthwise, WeightsOf(node, 1, 2), window.w, window.h, a.low, a.high};
  auto d = PlanConvShared({node.inputs[0], node.outputs[0],
                           WeightsOf(node, 3, 4), Conv2dAttributes(), 1, 1},
                          planner, &depthwise);
  if (!d) {
    return absl::ResourceExhaustedError(
        "no tile of the fused convolutions fits the device");
  }
  planner->Add(*std::move(d));
  return absl::OkStatus();
}

}  // namespace gles_delegate
