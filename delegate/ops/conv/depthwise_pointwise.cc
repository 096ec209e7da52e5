#include "delegate/ops/conv/depthwise_pointwise.h"

#include "delegate/ops/conv/conv_strategies.h"

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
  return PlanConvNode(node, planner);
}

}  // namespace gles_delegate
