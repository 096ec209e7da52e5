#include "delegate/ops/add_on_codes.h"

#include <utility>

namespace gles_delegate {
namespace {

absl::Status PlanAddOnCodes(const Node& node, Planner* planner) {
  const auto& a = std::any_cast<const AddOnCodesAttributes&>(node.attributes);
  const quant::AddMultipliers& m = a.multipliers;
  const Shape& dst = planner->tensor(node.outputs[0]).shape;
  Dispatch d("add_on_codes");
  d.Read("a", node.inputs[0])
      .Read("b", node.inputs[1])
      .Write("dst", node.outputs[0])
      .Grid(dst.w, dst.h, dst.slices() * dst.b);
  d.uniforms.Int4("multiplier", m.a.value, m.b.value, m.sum.value,
                  a.subtract ? -1 : 1);
  d.uniforms.Int4("shift", m.a.shift, m.b.shift, m.sum.shift, 0);
  d.uniforms.Int4("range", a.low, a.high, 0, 0);
  planner->Add(std::move(d));
  return absl::OkStatus();
}

}  // namespace

const OpDefinition& AddOnCodes() {
  static const OpDefinition* const op = [] {
    auto* definition = new OpDefinition;
    definition->name = "ADD";
    definition->plan = PlanAddOnCodes;
    return definition;
  }();
  return *op;
}

}  // namespace gles_delegate
