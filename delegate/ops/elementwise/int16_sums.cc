#include "delegate/ops/elementwise/int16_sums.h"

#include <array>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "delegate/graph/op.h"
#include "delegate/ops/work_group.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

constexpr int kRowValues = 4;

}  // namespace

TensorId AddInt16SumRows(const std::vector<Int16SumRow>& rows,
                         const std::string& name, Graph* graph) {
  const size_t channels = rows.size();
  std::vector<int32_t> values(kRowValues * channels);
  for (size_t c = 0; c < channels; ++c) {
    const auto bias = static_cast<uint64_t>(rows[c].bias);
    values[c] = rows[c].multiplier.value;
    values[channels + c] = rows[c].multiplier.right;
    values[2 * channels + c] = static_cast<int32_t>(bias & 0xffffffffu);
    values[3 * channels + c] = static_cast<int32_t>(bias >> 32);
  }
  std::vector<uint8_t> bytes(values.size() * sizeof(int32_t));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  Tensor table;
  table.name = absl::StrCat("scaling of ", name);
  table.type = DataType::kInt32;
  table.dims = {1, 1, kRowValues, static_cast<int>(channels)};
  table.shape = Shape::FromDims(table.dims);
  table.constant = ConstantData::Own(std::move(bytes));
  return graph->AddTensor(std::move(table));
}

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
