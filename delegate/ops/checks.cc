#include "delegate/ops/checks.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "delegate/graph/constant_values.h"

namespace gles_delegate {

std::string DimsString(absl::Span<const int> dims) {
  return dims.empty() ? "scalar" : absl::StrJoin(dims, "x");
}

namespace {

// Neither none nor more than shaders can index.
absl::Status CheckElements(const Tensor& tensor, absl::string_view what) {
  if (auto s = CheckDims(tensor.dims); !s.ok()) {
    return absl::Status(s.code(), absl::StrCat(what, ": ", s.message()));
  }
  if (tensor.shape.elements() <= 0) {
    return absl::UnimplementedError(absl::StrCat(
        what, " is ", DimsString(tensor.dims), ", which has no elements"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckFloat(const Tensor& tensor, absl::string_view what) {
  const bool half_constant =
      tensor.type == DataType::kFloat16 && tensor.is_constant();
  if (tensor.type != DataType::kFloat32 && !half_constant) {
    return absl::UnimplementedError(absl::StrCat(
        what, " is ", DataTypeName(tensor.type), ", only float32 runs here"));
  }
  return CheckElements(tensor, what);
}

absl::Status CheckFloatTensors(const NodeView& node, int first_input,
                               int last_input) {
  for (int i = first_input;
       i <= last_input && i < static_cast<int>(node.inputs.size()); ++i) {
    if (node.inputs[i] == nullptr) continue;
    RETURN_IF_ERROR(CheckFloat(*node.inputs[i], absl::StrCat("input ", i)));
  }
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    RETURN_IF_ERROR(CheckFloat(*node.outputs[i], absl::StrCat("output ", i)));
  }
  return absl::OkStatus();
}

absl::Status CheckNotQuantized(const NodeView& node) {
  for (const auto* list : {&node.inputs, &node.outputs}) {
    for (const Tensor* tensor : *list) {
      if (tensor == nullptr || !tensor->is_float_view()) continue;
      return absl::UnimplementedError(
          absl::StrCat(tensor->ToString(),
                       " is quantized, which TFLite's kernel does not take"));
    }
  }
  return absl::OkStatus();
}

bool IsIntegers(const Tensor& tensor) {
  return tensor.type == DataType::kInt32 || tensor.type == DataType::kBool;
}

absl::Status CheckIntegers(const Tensor& tensor, DataType type,
                           absl::string_view what) {
  if (tensor.type != type) {
    return absl::UnimplementedError(
        absl::StrCat(what, " is ", DataTypeName(tensor.type), ", only ",
                     DataTypeName(type), " runs here"));
  }
  return CheckElements(tensor, what);
}

absl::Status CheckMovedTensors(const NodeView& node, int first_input,
                               int last_input, TakesBool takes_bool) {
  if (node.outputs.empty()) return absl::InvalidArgumentError("has no output");
  const DataType type = node.outputs[0]->type;
  const bool moves_type =
      type == DataType::kFloat32 || type == DataType::kInt32 ||
      (type == DataType::kBool && takes_bool == TakesBool::kYes);
  if (!moves_type) {
    return absl::UnimplementedError(
        absl::StrCat("output 0 is ", DataTypeName(type), ", only float32",
                     takes_bool == TakesBool::kYes ? ", int32 and bool run here"
                                                   : " and int32 run here"));
  }
  if (type == DataType::kFloat32) {
    return CheckFloatTensors(node, first_input, last_input);
  }
  const auto check = [&](const Tensor& tensor, absl::string_view what) {
    if (tensor.type != type) {
      return absl::InvalidArgumentError(absl::StrCat(
          what, " is ", DataTypeName(tensor.type), ", output 0 is ",
          DataTypeName(type), "; they must be equal"));
    }
    return CheckIntegers(tensor, type, what);
  };
  for (int i = first_input;
       i <= last_input && i < static_cast<int>(node.inputs.size()); ++i) {
    if (node.inputs[i] == nullptr) continue;
    RETURN_IF_ERROR(check(*node.inputs[i], absl::StrCat("input ", i)));
  }
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    RETURN_IF_ERROR(check(*node.outputs[i], absl::StrCat("output ", i)));
  }
  return absl::OkStatus();
}

absl::Status CheckFloatsOrInts(const Tensor& tensor, absl::string_view what,
                               const Tensor& output) {
  for (const Tensor* t : {&tensor, &output}) {
    const absl::string_view name = t == &output ? "output" : what;
    RETURN_IF_ERROR(t->type == DataType::kInt32
                        ? CheckIntegers(*t, DataType::kInt32, name)
                        : CheckFloat(*t, name));
  }
  if (tensor.type == output.type) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the ", what, " is ", tensor.ToString(), ", the output ",
                   output.ToString()));
}

absl::Status CheckOutputDims(const Tensor& output, absl::Span<const int> want) {
  if (absl::MakeConstSpan(output.dims) == want) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("output is ", DimsString(output.dims),
                   ", its inputs and attributes give ", DimsString(want)));
}

absl::Status CheckRank(const Tensor& tensor, absl::string_view what, int max) {
  if (static_cast<int>(tensor.dims.size()) <= max) return absl::OkStatus();
  return absl::UnimplementedError(
      absl::StrCat(what, " is ", DimsString(tensor.dims), ", more than the ",
                   max, " axes supported"));
}

absl::StatusOr<int> NormalAxis(int axis, int rank) {
  if (axis < -rank || axis >= rank) {
    return absl::InvalidArgumentError(
        absl::StrCat("axis ", axis, " is outside a tensor of rank ", rank));
  }
  return axis < 0 ? axis + rank : axis;
}

AxisView ViewOfAxis(absl::Span<const int> dims, int axis) {
  const int rank = static_cast<int>(dims.size());
  if (rank <= 4) return {BhwcAxis(axis, rank), std::nullopt};
  const int folded = rank - 3;  // leading axes that share the batch
  if (axis >= folded) return {axis - folded + 1, std::nullopt};
  Shape shape;
  shape.h = dims[axis];
  shape.c = dims[rank - 1];
  for (int i = 0; i < axis; ++i) shape.b *= dims[i];
  for (int i = axis + 1; i < rank - 1; ++i) shape.w *= dims[i];
  return {1, shape};
}

absl::StatusOr<std::vector<int>> IntsOfInput(const NodeView& node, int index,
                                             absl::string_view what) {
  if (index >= static_cast<int>(node.inputs.size()) ||
      node.inputs[index] == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        what, " (input ", index, ") is absent, and it is required"));
  }
  const Tensor& tensor = *node.inputs[index];
  if (tensor.type != DataType::kInt32 && tensor.type != DataType::kInt64) {
    return absl::InvalidArgumentError(absl::StrCat(
        what, " is ", DataTypeName(tensor.type), ", wants int32 or int64"));
  }
  if (tensor.shape.elements() == 0) return std::vector<int>{};
  if (!tensor.is_constant()) {
    return absl::UnimplementedError(absl::StrCat(
        what, ": known only at run time, must be a constant of the model"));
  }
  return ConstantInts(tensor);
}

absl::StatusOr<int> AxisOfInput(const NodeView& node, int index, int rank) {
  ASSIGN_OR_RETURN(const auto axes, IntsOfInput(node, index, "the axis"));
  if (axes.size() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("the axis has ", axes.size(), " elements, wants 1"));
  }
  return NormalAxis(axes.front(), rank);
}

}  // namespace gles_delegate
