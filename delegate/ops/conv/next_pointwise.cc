#include "delegate/ops/conv/next_pointwise.h"

#include "delegate/ops/conv/conv_strategies.h"
#include "delegate/ops/conv/depthwise_pointwise.h"
#include "delegate/ops/stages.h"

namespace gles_delegate {
namespace {

const OpDefinition* MakeOp(const char* name) {
  auto* made = new OpDefinition;
  made->name = name;
  made->plan = PlanWithNextPointwise;
  return made;
}

}  // namespace

const OpDefinition& WithNextPointwise(const OpDefinition& first) {
  static const OpDefinition* const two = MakeOp("CONV_2D+CONV_2D");
  static const OpDefinition* const three =
      MakeOp("DEPTHWISE_CONV_2D+CONV_2D+CONV_2D");
  return &first == &DepthwisePointwise() ? *three : *two;
}

Node FirstOf(const Node& node) {
  const auto& a =
      std::any_cast<const NextPointwiseAttributes&>(node.attributes);
  Node first = node;
  first.op = a.first;
  first.attributes = a.first_attributes;
  first.inputs.resize(a.first_inputs);
  first.outputs.resize(1);
  return first;
}

NextPointwise NextOf(const Graph& graph, const Node& node,
                     const NextPointwiseAttributes& attributes) {
  NextPointwise next;
  next.dst = node.outputs[1];
  next.weights = WeightsOf(node, static_cast<int>(attributes.first_inputs),
                           static_cast<int>(attributes.first_inputs) + 1);
  const Shape& s = graph.tensor(next.weights.weights).shape;
  next.filter = {s.b, 1, s.c, 1};
  next.stage = StageOf(node, kNextStage);
  return next;
}

absl::Status PlanWithNextPointwise(const Node& node, Planner* planner) {
  return PlanConvNode(node, planner);
}

}  // namespace gles_delegate
