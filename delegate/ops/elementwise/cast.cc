// CAST between float32, int32 and bool. To int32: truncates; saturates, with
// NaN as the maximum, as later TFLite kernels do (2.9 has undefined behaviour).
// To bool: whether the value is not 0 (NaN is true). To float32: nearest; with
// 16-bit storage infinite past 65504. Refuses float views, for which TFLite
// casts the quantized values.
#include <utility>

#include "absl/strings/str_cat.h"
#include "delegate/graph/op.h"
#include "delegate/ops/checks.h"
#include "delegate/ops/work_group.h"
#include "delegate/plan/planner.h"

namespace gles_delegate {

// kUnimplemented: another type.
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
  switch (to.host) {
    case DataType::kInt8:
      integers(kernels.to_int8, "WRAP_SIGNED", 8, -128);
      break;
    case DataType::kUint8:
      integers(kernels.to_uint8, "WRAP_UNSIGNED", 8, 0);
      break;
    case DataType::kInt16:
      integers(kernels.to_int16, "WRAP_SIGNED", 16, -32768);
      break;
    case DataType::kUint16:
      d->Define("WRAP_UNSIGNED", 16);
      break;
    case DataType::kFloat16:
      d->Define("ROUND_TO_HALF");
      break;
    case DataType::kInt64:
      if (!IsIntegers(to)) d->Define("TRUNCATE");
      break;
    default:
      break;
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

}  // namespace gles_delegate
