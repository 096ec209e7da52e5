// CAST between float32, int32 and bool. To int32: truncates; saturates, with
// NaN as the maximum, as later TFLite kernels do (2.9 has undefined behaviour).
// To bool: whether the value is not 0 (NaN is true). To float32: nearest; with
// 16-bit storage infinite past 65504. Refuses float views, for which TFLite
// casts the quantized values.
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "delegate/graph/op.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/elementwise/elementwise.h"
#include "delegate/ops/op_list.h"
#include "delegate/ops/work_group.h"
#include "delegate/plan/planner.h"
#include "quant/fixed_point.h"

namespace gles_delegate {

absl::StatusOr<ParsedNode> ParseCast(const NodeView& node) {
  const Tensor& input = *node.inputs[0];
  const Tensor& output = *node.outputs[0];
  for (const Tensor* tensor : {&input, &output}) {
    if (tensor->is_float_view()) {
      return absl::UnimplementedError(absl::StrCat(
          tensor->ToString(),
          " is quantized, and CAST works on its quantized values"));
    }
  }
  for (const Tensor* tensor : {&input, &output}) {
    const Tensor& other = tensor == &input ? output : input;
    if (tensor->host == DataType::kFloat64 &&
        other.stored() != DataType::kFloat32) {
      return absl::UnimplementedError(absl::StrCat(
          tensor->ToString(),
          " is read and written as float32 here, so that only CASTs from and "
          "to float32 run"));
    }
  }
  if (input.host == DataType::kInt64 && !IsIntegers(input) &&
      IsIntegers(output) && output.type != DataType::kBool) {
    return absl::UnimplementedError(
        absl::StrCat(input.ToString(),
                     " is read as float32, since another CAST makes floats of "
                     "it; floats do not hold every integer"));
  }
  return ParsedNode{node.traits, {}};
}

namespace {

// The conversion for the type in the runtime's memory, since nodes on the GPU
// may read the values as well.
void DefineHostType(const Tensor& to, const quant::KernelTraits& kernels,
                    bool from_floats, Dispatch* d) {
  const auto integers = [&](const quant::KernelTraits::Cast& cast,
                            const char* wrap, int bits, int low) {
    if (!from_floats || !cast.saturates) {
      d->Define(wrap, bits);
      return;
    }
    d->Define("SATURATE_LOW", low);
    d->Define("SATURATE_HIGH", low + (1 << bits) - 1);
    d->Define("OF_NAN", cast.of_nan);
  };
  if (to.host == DataType::kInt8) {
    integers(kernels.to_int8, "WRAP_SIGNED", 8, -128);
  } else if (to.host == DataType::kUint8) {
    integers(kernels.to_uint8, "WRAP_UNSIGNED", 8, 0);
  } else if (to.host == DataType::kInt16) {
    integers(kernels.to_int16, "WRAP_SIGNED", 16, -32768);
  } else if (to.host == DataType::kUint16) {
    d->Define("WRAP_UNSIGNED", 16);
  } else if (to.host == DataType::kFloat16) {
    d->Define("ROUND_TO_HALF");
  } else if (to.host == DataType::kInt64 && !IsIntegers(to)) {
    d->Define("TRUNCATE");
  }
}

}  // namespace

absl::Status PlanCast(const Node& node, Planner* planner) {
  const Tensor& from = planner->tensor(node.inputs[0]);
  const Tensor& to = planner->tensor(node.outputs[0]);
  Dispatch d = TexelDispatch("cast", node, *planner);
  if (!IsIntegers(from)) d.Define("FROM_FLOAT");
  if (!IsIntegers(to)) d.Define("TO_FLOAT");
  if (to.type == DataType::kBool) d.Define("TO_BOOL");
  const auto* kernels = node.As<quant::KernelTraits>();
  DefineHostType(to, kernels != nullptr ? *kernels : quant::KernelTraits(),
                 !IsIntegers(from), &d);
  AddInLightGroups(std::move(d), planner);
  return absl::OkStatus();
}

// DEQUANTIZE and QUANTIZE. DEQUANTIZE of a constant (mostly 16-bit weights) is
// folded (FoldConstantNode, delegate/partition/fold_constants.h). At run time
// both are copies in the float view (delegate/graph/float_view.h), where every
// tensor holds real values; the simulator of QUANTIZE's output rounds. QUANTIZE
// from int16 to int32 uses TFLite's integer arithmetic, since floats cannot
// hold such values.

absl::StatusOr<ParsedNode> ParseDequantize(const NodeView& node) {
  const Tensor& input = *node.inputs[0];
  if (input.is_constant()) return ParsedNode{};
  RETURN_IF_ERROR(CheckFloat(input, "input"));
  // In the float view the input holds real values already: a copy.
  return ParsedNode{ElementwiseAttributes{0, input.shape, {}}, {}};
}

namespace {

// Of QUANTIZE from int16 to int32.
struct RequantizeAttributes {
  float scale = 1;  // of the input's quantized values
  quant::Multiplier multiplier;
  int zero_point = 0;  // of the output
};

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
