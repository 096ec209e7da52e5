#include "delegate/ops/elementwise/int16_sums.h"

#include <array>
#include <utility>

#include "delegate/graph/op.h"
#include "delegate/ops/work_group.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
Node Int16Sums(const Node& of, const std::vector<TensorId>& parts,
               const std::vector<int>& shifts, TensorId rows, TensorId to) {
  static const OpDefinition& op = *new OpDefinition{
      "SUMS_OF_16_BITS", -1, 1, 1, nullptr, PlanInt16Sums, ""};
  Node node;
  node.op = &op;
  node.tflite_index = of.tflite_index;
  node.inputs = parts;
  node.inputs.push_back(rows);
  node.outputs = {to};
  node.attributes = Int16SumsAttributes{shifts};
  node.integer_path = true;
  return node;
}

absl::Status PlanInt16Sums(const Node& node, Planner* planner) {
  const auto& a = node.Get<Int16SumsAttributes>();
  const size_t parts = a.shifts.size();
  const Shape to = planner->tensor(node.outputs[0]).shape;
  constexpr const char* kNames[kMaxInt16Sums] = {"a", "b", "c", "d",
                                                 "e", "f", "g", "h"};
  Dispatch d("int16_sums");
  d.Define("PARTS", static_cast<int>(parts));
  d.Define("RESCALE_64", "op_rescale_64");
  if (planner->tensor(node.inputs[parts]).shape.c == 1 && to.c > 1) {
    d.Define("ONE_ROW");
  }
  std::array<int, kMaxInt16Sums> shifts = {};
  for (size_t i = 0; i < parts; ++i) {
    d.Read(kNames[i], node.inputs[i]);
    shifts[i] = a.shifts[i];
  }
  d.Read("rows", node.inputs[parts]).Write("dst", node.outputs[0]);
  d.uniforms.Int4("shifts", shifts[0], shifts[1], shifts[2], shifts[3]);
  d.uniforms.Int4("more_shifts", shifts[4], shifts[5], shifts[6], shifts[7]);
  d.OverTexels(to);
  AddInLightGroups(std::move(d), planner);
  return absl::OkStatus();
}

}  // namespace gles_delegate
