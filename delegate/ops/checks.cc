#include "delegate/ops/checks.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "delegate/graph/builtin_params.h"
#include "delegate/graph/constant_values.h"
#include "delegate/plan/storage.h"

namespace gles_delegate {

int ProductOf(absl::Span<const int> dims) {
  return absl::c_accumulate(dims, 1, std::multiplies<int>());
}

std::string DimsString(absl::Span<const int> dims) {
  return dims.empty() ? "scalar" : absl::StrJoin(dims, "x");
}

absl::Status CheckElements(const Tensor& tensor, absl::string_view what) {
  RETURN_IF_ERROR(Labelled(CheckDims(tensor.dims), what));
  if (tensor.shape.elements() <= 0) {
    return Unimplemented(what, " is ", DimsString(tensor.dims),
                         ", which has no elements");
  }
  return absl::OkStatus();
}

absl::Status CheckElementType(const Tensor& tensor, absl::string_view what,
                              absl::string_view types) {
  const auto takes = [&](char type) { return absl::StrContains(types, type); };
  const bool is_float =
      tensor.type == DataType::kFloat32 ||
      (tensor.type == DataType::kFloat16 && tensor.is_constant());
  if (!(takes('f') && is_float) &&
      !(takes('i') && tensor.type == DataType::kInt32) &&
      !(takes('b') && tensor.type == DataType::kBool)) {
    std::vector<absl::string_view> names;
    if (takes('f')) names.push_back("float32");
    if (takes('i')) names.push_back("int32");
    if (takes('b')) names.push_back("bool");
    std::string list = absl::StrJoin(names, ", ");
    const size_t comma = list.rfind(", ");
    if (comma != list.npos) list.replace(comma, 2, " and ");
    return Unimplemented(what, " is ", tensor.TypeText(), ", only ", list,
                         names.size() == 1 ? " runs" : " run", " here");
  }
  if (takes('q') || !tensor.is_float_view()) return CheckElements(tensor, what);
  return Unimplemented(tensor.ToString(),
                       " is quantized, which TFLite's kernel does not take");
}

bool IsIntegers(const Tensor& tensor) {
  return tensor.type == DataType::kInt32 || tensor.type == DataType::kBool;
}

absl::Status CheckOutputDims(const Tensor& output, absl::Span<const int> want) {
  if (absl::MakeConstSpan(output.dims) == want) return absl::OkStatus();
  return Invalid("output is ", DimsString(output.dims),
                 ", its inputs and attributes give ", DimsString(want));
}

absl::Status CheckDimsAre(const Tensor& tensor, absl::Span<const int> want,
                          absl::string_view what) {
  if (absl::MakeConstSpan(tensor.dims) == want) return absl::OkStatus();
  return Invalid(what, " is ", DimsString(tensor.dims), ", must be ",
                 DimsString(want));
}

absl::Status CheckOneQuantization(const Tensor& a, const Tensor& b) {
  if (SameQuantized(a, b)) return absl::OkStatus();
  return Unimplemented("TFLite copies the quantized values of ", a.ToString(),
                       " and ", b.ToString(), ", whose quantizations differ");
}

absl::StatusOr<int> NormalAxis(int axis, size_t rank) {
  const int axes = static_cast<int>(rank);
  if (axis < -axes || axis >= axes) {
    return Invalid("axis ", axis, " is outside a tensor of rank ", rank);
  }
  return axis < 0 ? axis + axes : axis;
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

absl::StatusOr<int> AxisOfInput(const NodeView& node, int index, size_t rank) {
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
    case kActTanh:
    case kActSigmoid:
      return std::vector<PostOp>{};
    case kActRelu:
      return clamp(0, kInf);
    case kActReluN1To1:
      return clamp(-1, 1);
    case kActRelu6:
      return clamp(0, 6);
    default:
      return Unimplemented("fused activation ", activation,
                           " is not supported");
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

// --- Sliding windows ---------------------------------------------------------

absl::StatusOr<AxisPadding> ComputePadding(int padding, int in,
                                           const Window& window,
                                           absl::string_view axis) {
  if (in < 1 || window.size < 1 || window.stride < 1 || window.dilation < 1) {
    return Invalid(axis, ": input ", in, ", window ", window.size, ", stride ",
                   window.stride, ", dilation ", window.dilation,
                   " must all be positive");
  }
  // 64 bits: each number is below 2^31, the extent below 2^62.
  int64_t out = 0;
  if (padding == kPaddingSame) {
    out = (int64_t{in} + window.stride - 1) / window.stride;
  } else if (padding == kPaddingValid) {
    out = (int64_t{in} + window.stride - window.extent()) / window.stride;
  } else {
    return Unimplemented("padding ", padding,
                         " is not supported; SAME (1) and VALID (2) are");
  }
  // The first test guards C++'s division towards zero.
  if ((padding == kPaddingValid && window.extent() > in) || out < 1) {
    return Invalid(axis, ": a window of ", window.extent(),
                   " does not fit an input of ", in, " without padding");
  }
  const int64_t reach = (out - 1) * window.stride + window.extent();
  // Places of a window and paddings add up to no more than twice this.
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max() / 2;
  if (reach > kMax || window.stride > kMax) {
    return Invalid(axis, ": a window of ", window.extent(), " at steps of ",
                   window.stride, " over an input of ", in, " reaches past ",
                   kMax);
  }
  const auto total = static_cast<int>(std::max<int64_t>(0, reach - in));
  AxisPadding result;
  result.out = static_cast<int>(out);
  result.before = total / 2;
  result.after = total - result.before;
  return result;
}

absl::Status CheckExtent(const AxisPadding& padding, int got,
                         absl::string_view axis) {
  if (got == padding.out) return absl::OkStatus();
  return Invalid("output ", axis, " is ", got,
                 ", the window over the input gives ", padding.out);
}

// --- The window of a convolution ---------------------------------------------

absl::StatusOr<SlidingWindow> SlidingWindowOf(const WindowParams& params,
                                              const Shape& src,
                                              const Shape& filter) {
  SlidingWindow window;
  window.stride_h = params.stride_h;
  window.stride_w = params.stride_w;
  window.dilation_h = DilationOf(params.dilation_h);
  window.dilation_w = DilationOf(params.dilation_w);
  ASSIGN_OR_RETURN(
      const auto height,
      ComputePadding(params.padding, src.h,
                     {filter.h, window.stride_h, window.dilation_h}, "height"));
  ASSIGN_OR_RETURN(
      const auto width,
      ComputePadding(params.padding, src.w,
                     {filter.w, window.stride_w, window.dilation_w}, "width"));
  window.pad_top = height.before;
  window.pad_bottom = height.after;
  window.pad_left = width.before;
  window.pad_right = width.after;
  return window;
}

}  // namespace gles_delegate
