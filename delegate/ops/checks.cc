#include "delegate/ops/checks.h"

#include <algorithm>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/graph/constant_values.h"

namespace gles_delegate {

std::string DimsString(absl::Span<const int> dims) {
  return dims.empty() ? "scalar" : absl::StrJoin(dims, "x");
}

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

absl::Status CheckFloat(const Tensor& tensor, absl::string_view what) {
  const bool half_constant =
      tensor.type == DataType::kFloat16 && tensor.is_constant();
  if (tensor.type != DataType::kFloat32 && !half_constant) {
    return absl::UnimplementedError(absl::StrCat(
        what, " is ", tensor.TypeText(), ", only float32 runs here"));
  }
  return CheckElements(tensor, what);
}

bool IsIntegers(const Tensor& tensor) {
  return tensor.type == DataType::kInt32 || tensor.type == DataType::kBool;
}

absl::Status CheckOutputDims(const Tensor& output, absl::Span<const int> want) {
  if (absl::MakeConstSpan(output.dims) == want) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("output is ", DimsString(output.dims),
                   ", its inputs and attributes give ", DimsString(want)));
}

absl::Status CheckOneQuantization(const Tensor& a, const Tensor& b) {
  if (a.quantized == b.quantized &&
      a.quantization.scale == b.quantization.scale &&
      a.quantization.zero_point == b.quantization.zero_point) {
    return absl::OkStatus();
  }
  return absl::UnimplementedError(
      absl::StrCat("TFLite copies the quantized values of ", a.ToString(),
                   " and ", b.ToString(), ", whose quantizations differ"));
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

absl::StatusOr<std::vector<int>> IntsOfInput(const NodeView& node, int index) {
  const Tensor& tensor = *node.inputs[index];
  if (tensor.shape.elements() == 0) return std::vector<int>{};
  return ConstantInts(tensor);
}

absl::StatusOr<int> AxisOfInput(const NodeView& node, int index, int rank) {
  ASSIGN_OR_RETURN(const auto axes, IntsOfInput(node, index));
  return NormalAxis(axes.front(), rank);
}

// --- The activation of a node ------------------------------------------------

absl::StatusOr<std::vector<PostOp>> FusedActivation(int activation) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const auto clamp = [](float low, float high) {
    return std::vector<PostOp>{{"clamp", {low, high, 0, 0}}};
  };
  switch (activation) {
    case kActNone:
      return std::vector<PostOp>{};
    case kActRelu:
      return clamp(0, kInf);
    case kActReluN1To1:
      return clamp(-1, 1);
    case kActRelu6:
      return clamp(0, 6);
    case kActTanh:
    case kActSigmoid:
      return std::vector<PostOp>{};
    default:
      return absl::UnimplementedError(
          absl::StrCat("fused activation ", activation, " is not supported"));
  }
}

absl::StatusOr<std::vector<PostOp>> RecurrentActivation(int activation) {
  switch (activation) {
    case kActTanh:
      return std::vector<PostOp>{{"tanh"}};
    case kActSigmoid:
      return std::vector<PostOp>{{"logistic"}};
    default:
      return FusedActivation(activation);
  }
}

}  // namespace gles_delegate
