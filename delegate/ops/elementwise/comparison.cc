#include "delegate/ops/elementwise/comparison.h"

#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/builtin_codes.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/ops/op_list.h"
#include "delegate/ops/work_group.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {
namespace {

bool IsEightBit(const Tensor& tensor) {
  return (tensor.quantized == DataType::kInt8 ||
          tensor.quantized == DataType::kUint8) &&
         !tensor.quantization.empty() && !tensor.quantization.per_channel();
}

// Other quantized types are compared as real values, which is exact only for
// equal quantizations.
absl::Status CheckQuantizations(const Tensor& a, const Tensor& b) {
  const bool quantized = a.is_float_view() || b.is_float_view();
  const Quantization& p = a.quantization;
  const Quantization& q = b.quantization;
  if (!quantized || (a.quantized == b.quantized && !p.per_channel() &&
                     p.scale == q.scale && p.zero_point == q.zero_point)) {
    return absl::OkStatus();
  }
  return absl::UnimplementedError(absl::StrCat("compares ", a.ToString(),
                                               " and ", b.ToString(),
                                               ", whose quantizations differ"));
}

// How the steps of both sides, (value - zero point), are scaled: with 8 extra
// bits.
absl::Status SetMultipliers(const Tensor& a, const Tensor& b,
                            ComparisonAttributes* attributes) {
  const Tensor* sides[] = {&a, &b};
  for (int i = 0; i < 2; ++i) {
    const float scale = sides[i]->quantization.scale[0];
    attributes->multipliers[i] = quant::MultiplierOf(double{scale});
    if (attributes->multipliers[i].shift > 30) {
      return absl::UnimplementedError(
          absl::StrCat(sides[i]->ToString(), " has the scale ", scale,
                       "; TFLite's kernel takes less than 2^30"));
    }
  }
  attributes->of_quantized = true;
  return absl::OkStatus();
}

void ScaleSides(const Node& node, const ComparisonAttributes& attributes,
                const Planner& planner, Dispatch* d) {
  d->Define("RESCALE", "op_rescale");
  constexpr const char* kNames[] = {"scaling_a", "scaling_b"};
  for (int i = 0; i < 2; ++i) {
    // One quantization step in the shader's values.
    const float step =
        node.integer_path
            ? 1
            : planner.tensor(node.inputs[i]).quantization.scale[0];
    int step_bits;
    std::memcpy(&step_bits, &step, sizeof(step));
    const quant::Multiplier& m = attributes.multipliers[i];
    d->uniforms.Int4(kNames[i], m.value, m.shift, step_bits, 0);
  }
}

}  // namespace

absl::StatusOr<ParsedNode> ParseComparison(const NodeView& node) {
  const Tensor& a = *node.inputs[0];
  const Tensor& b = *node.inputs[1];
  const Tensor& output = *node.outputs[0];
  ComparisonAttributes attributes;
  if (IsEightBit(a) && IsEightBit(b) && a.quantized == b.quantized) {
    RETURN_IF_ERROR(SetMultipliers(a, b, &attributes));
  } else
    RETURN_IF_ERROR(CheckQuantizations(a, b));
  attributes.function = FindOp(node.builtin_code, "")->function;
  for (int i = 0; i < 2; ++i) {
    attributes.aligned[i] = AlignedShape(node.inputs[i]->dims, output.dims);
  }
  return ParsedNode{attributes, {}};
}

absl::Status PlanComparison(const Node& node, Planner* planner) {
  const auto& attributes = node.Get<ComparisonAttributes>();
  Dispatch d("comparison");
  d.Define("COMPARE", attributes.function);
  constexpr const char* kNames[] = {"a", "b"};
  RETURN_IF_ERROR(BindBroadcast(node, attributes.aligned, kNames, planner, &d));
  if (attributes.of_quantized) ScaleSides(node, attributes, *planner, &d);
  AddInLightGroups(std::move(d), planner);
  return absl::OkStatus();
}

// --- SELECT, SELECT_V2 -------------------------------------------------------

namespace {

// The condition broadcasts as `condition` does, the values as they are.
ParsedNode AlignSelect(const NodeView& node,
                       const std::vector<int>& condition) {
  const std::vector<int>& to = node.outputs[0]->dims;
  SelectAttributes attributes;
  attributes.aligned = {AlignedShape(condition, to),
                        AlignedShape(node.inputs[1]->dims, to),
                        AlignedShape(node.inputs[2]->dims, to)};
  return ParsedNode{attributes, {}};
}

}  // namespace

absl::StatusOr<ParsedNode> ParseSelect(const NodeView& node) {
  std::vector<int> condition = node.inputs[0]->dims;
  // A vector is of the first axis.
  if (condition.size() == 1) condition.resize(node.inputs[1]->dims.size(), 1);
  return AlignSelect(node, condition);
}

absl::StatusOr<ParsedNode> ParseSelectV2(const NodeView& node) {
  return AlignSelect(node, node.inputs[0]->dims);
}

absl::Status PlanSelect(const Node& node, Planner* planner) {
  const auto& attributes = node.Get<SelectAttributes>();
  Dispatch d("select");
  constexpr const char* kNames[] = {"condition", "a", "b"};
  RETURN_IF_ERROR(BindBroadcast(node, attributes.aligned, kNames, planner, &d));
  AddInLightGroups(std::move(d), planner);
  return absl::OkStatus();
}

}  // namespace gles_delegate
