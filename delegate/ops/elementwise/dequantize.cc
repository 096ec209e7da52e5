#include "delegate/ops/elementwise/dequantize.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/ops/all_ops.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/ops/work_group.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

absl::StatusOr<ParsedNode> ParseDequantize(const NodeView& node) {
  const Tensor& input = *node.inputs[0];
  if (input.is_constant()) return ParsedNode{};
  RETURN_IF_ERROR(CheckFloat(input, "input"));
  // In the float view the input holds real values already: a copy.
  return ParsedNode{ElementwiseAttributes{0, input.shape, {}}, {}};
}

namespace {

// QUANTIZE to int32, which TFLite takes of int16 alone: its integers, not those
// of the float view, whose floats do not hold them.
absl::StatusOr<ParsedNode> ParseToInt32(const NodeView& node) {
  const Tensor& from = *node.inputs[0];
  const Tensor& to = *node.outputs[0];
  const auto one_scale = [](const Tensor& tensor) {
    return tensor.quantization.scale.size() == 1 &&
           tensor.quantization.zero_point.size() == 1;
  };
  if (from.quantized != DataType::kInt16 || from.is_constant() ||
      !one_scale(from) || !one_scale(to)) {
    return absl::UnimplementedError(absl::StrCat(
        from.ToString(), " to ", to.ToString(),
        ": to int32, only int16 activations of one scale are quantized"));
  }
  const float scale = from.quantization.scale[0];
  const quant::Multiplier multiplier = quant::MultiplierOf(
      quant::QuantizeScale(scale, to.quantization.scale[0]));
  // A quantized value shifted left by this many bits fits 32 bits.
  constexpr int kMaxShift = 15;
  if (multiplier.shift > kMaxShift) {
    return absl::UnimplementedError(absl::StrCat(
        "the scale ", scale, " over ", to.quantization.scale[0],
        " is 2^15 or more, on which TFLite's arithmetic overflows"));
  }
  return ParsedNode{
      RequantizeAttributes{scale, multiplier,
                           static_cast<int>(to.quantization.zero_point[0])},
      {}};
}

absl::Status PlanToInt32(const Node& node, const RequantizeAttributes& a,
                         Planner* planner) {
  Dispatch d = TexelDispatch("requantize_int32", node, *planner);
  d.Define("CODE_OF", "op_code_of").Define("RESCALE", "op_rescale");
  d.uniforms.Float("scale", a.scale);
  d.uniforms.Int("multiplier", a.multiplier.value);
  d.uniforms.Int("shift", a.multiplier.shift);
  d.uniforms.Int("zero_point", a.zero_point);
  AddInLightGroups(std::move(d), planner);
  return absl::OkStatus();
}

}  // namespace

// kInvalidArgument: an output without quantization parameters. kUnimplemented:
// int32 from a type other than int16, or with a factor of 2^15 or more.
absl::StatusOr<ParsedNode> ParseQuantize(const NodeView& node) {
  if (node.outputs[0]->type == DataType::kInt32) return ParseToInt32(node);
  if (!node.outputs[0]->is_float_view()) {
    return absl::InvalidArgumentError(absl::StrCat(
        node.outputs[0]->ToString(), " carries no quantization parameters"));
  }
  // A copy; the simulator that follows every quantized output is the op.
  return ParsedNode{ElementwiseAttributes{0, node.inputs[0]->shape, {}}, {}};
}

absl::Status PlanDequantize(const Node& node, Planner* planner) {
  return planner->tensor(node.inputs[0]).is_constant()
             ? PlanFoldedConstant(node, planner)
             : PlanElementwise(node, planner);
}

absl::Status PlanQuantize(const Node& node, Planner* planner) {
  const auto* to_int32 = node.As<RequantizeAttributes>();
  return to_int32 != nullptr ? PlanToInt32(node, *to_int32, planner)
                             : PlanElementwise(node, planner);
}

// Ok, without a dispatch, if all outputs are constants.
absl::Status PlanFoldedConstant(const Node& node, Planner* planner) {
  for (TensorId id : node.outputs) {
    if (planner->tensor(id).is_constant()) continue;
    return absl::UnimplementedError(
        absl::StrCat(planner->tensor(id).ToString(),
                     " is no constant after folding; only constants are "
                     "supported"));
  }
  return absl::OkStatus();
}

}  // namespace gles_delegate
